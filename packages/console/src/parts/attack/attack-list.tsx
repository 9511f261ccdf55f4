import { wholeNumber } from '../../design/number.ts'
import classes from './attack-list.module.css'
import { AttackName } from './attack-name.tsx'

interface AttackListProps {
  readonly attacks: readonly { readonly class: string; readonly attempts: number }[]
  /** How many of them; the others are counted. */
  readonly shown?: number
  /** What is said where there is none. */
  readonly none?: string
}

const SHOWN = 6

/** Classes of attack with how often each was tried, each with its colour. */
export function AttackList({ attacks, shown = SHOWN, none = 'none' }: AttackListProps) {
  if (attacks.length === 0) return <span className="soft">{none}</span>
  const rest = attacks.length - shown
  return (
    <ul className={classes.attacks}>
      {attacks.slice(0, shown).map((one) => (
        <li key={one.class}>
          <AttackName attackClass={one.class} />
          <span className="tabular">{wholeNumber(one.attempts)}</span>
        </li>
      ))}
      {rest > 0 ? <li className="soft">{rest} more</li> : null}
    </ul>
  )
}
