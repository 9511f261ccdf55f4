import type { OtherSession } from '../../api/gate-api.ts'
import { personOf } from '../../design/person.ts'

/** Asks before somebody else's session gives way, and says whose it is. */
export function ReplaceQuestion(props: {
  readonly other: OtherSession
  readonly onReplace: () => void
  readonly onKeep: () => void
}) {
  const { signedInAs } = props.other
  return (
    <div role="alert" className="question">
      <p>
        This browser is signed in as <strong>{personOf(signedInAs)}</strong>, somebody else. Go on only if you
        mean to take their place here: what this browser does from then on is recorded under your name.
      </p>
      <div className="row">
        <button type="button" onClick={props.onReplace}>
          Replace that session
        </button>
        <button type="button" className="quiet" onClick={props.onKeep}>
          Keep it
        </button>
      </div>
    </div>
  )
}
