import { personWithAddress } from '../../../language/names.ts'
import type { OtherSession } from '../../api/gate-api.ts'
import { texts } from './texts.ts'

/** Asks before somebody else's session gives way, and says whose it is. */
export function ReplaceQuestion(props: {
  readonly other: OtherSession
  readonly onReplace: () => void
  readonly onKeep: () => void
}) {
  const { signedInAs } = props.other
  return (
    <div role="alert" className="question">
      <p>{texts.thisBrowserIsSigned(<strong>{personWithAddress(signedInAs)}</strong>)}</p>
      <div className="row">
        <button type="button" onClick={props.onReplace}>
          {texts.replaceThatSession}
        </button>
        <button type="button" className="quiet" onClick={props.onKeep}>
          {texts.keepIt}
        </button>
      </div>
    </div>
  )
}
