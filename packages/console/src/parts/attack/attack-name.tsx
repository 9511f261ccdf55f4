import { attackWords } from '@sallyport/contract/words'
import { attackColour } from './attack-colours.ts'
import classes from './attack-name.module.css'

/** The colour of a class of attack; a word stands beside it. */
export const AttackSquare = (props: {
  readonly attackClass: string
  readonly colour?: string | undefined
}) => (
  <span
    className={classes.square}
    style={{ background: props.colour ?? attackColour(props.attackClass) }}
    aria-hidden="true"
  />
)

/** A class of attack: its colour and its words. */
export const AttackName = ({ attackClass }: { readonly attackClass: string }) => (
  <span className={classes.name}>
    <AttackSquare attackClass={attackClass} />
    <bdi>{attackWords(attackClass)}</bdi>
  </span>
)
