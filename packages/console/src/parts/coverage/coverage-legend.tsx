/** What the marks of the map mean. */
import classes from './coverage.module.css'
import { texts } from './texts.ts'
import { LEGEND } from './verdict-words.ts'

export function CoverageLegend() {
  return (
    <ul className={classes.legend} aria-label={texts.marksOfTheMap}>
      {LEGEND.map(({ name, mark, tone }) => (
        <li key={name}>
          <span className={classes.cell} data-tone={tone} aria-hidden="true">
            12{mark}
          </span>
          {name}
        </li>
      ))}
      <li>{texts.neverTried(<span className={classes.cell} aria-hidden="true" />)}</li>
    </ul>
  )
}
