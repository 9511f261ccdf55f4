import { useFold } from '../../design/table/fold.tsx'
import { wholeNumber } from '../../language/number.ts'
import classes from './attack-list.module.css'
import { AttackName } from './attack-name.tsx'

interface AttackListProps {
  readonly attacks: readonly { readonly class: string; readonly attempts: number }[]
  /** How many of them, until somebody asks for the others. */
  readonly shown?: number
  /** What is said where there is none. */
  readonly none?: string
}

const SHOWN = 6

/** Classes of attack with how often each was tried, each with its colour. */
export function AttackList({ attacks, shown = SHOWN, none = 'none' }: AttackListProps) {
  const folded = useFold(attacks, shown)
  if (attacks.length === 0) return <span className="soft">{none}</span>
  return (
    <ul className={classes.attacks}>
      {folded.shown.map((one) => (
        <li key={one.class}>
          <AttackName attackClass={one.class} />
          <span className="tabular">{wholeNumber(one.attempts)}</span>
        </li>
      ))}
      {folded.button ? <li>{folded.button}</li> : null}
    </ul>
  )
}
