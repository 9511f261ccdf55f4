import type { useExclusionTrial } from '../../api/queries/firewall-queries.ts'
import { Callout } from '../../design/feedback/callout.tsx'
import { ErrorState, LoadingState } from '../../design/feedback/states.tsx'
import { wholeNumber } from '../../language/number.ts'
import classes from './exclusion-trial.module.css'
import { texts } from './texts.ts'

const SAMPLES_SHOWN = 6

/** What the exclusion would have done to the last seven days. */
export function ExclusionTrial(props: {
  readonly trial: ReturnType<typeof useExclusionTrial>
  readonly asked: boolean
}) {
  const { trial } = props
  if (!props.asked) return null
  if (trial.error) return <ErrorState error={trial.error} />
  if (!trial.data) return <LoadingState label={texts.testingItAgainst} />
  const { hits, removed, requests, cleared, samples } = trial.data
  return (
    <Callout role="status">
      <div>
        {texts.trialResult({
          name: <strong>{wholeNumber(removed)}</strong>,
          hits,
          removed,
          name2: <strong>{wholeNumber(cleared)}</strong>,
          requests,
        })}
      </div>
      {samples.length > 0 ? (
        <ul className={classes.samples}>
          {samples.slice(0, SAMPLES_SHOWN).map((request) => (
            <li key={request.id} className="clip mono">
              {request.method} {request.target}
            </li>
          ))}
        </ul>
      ) : null}
      {removed === 0 ? <div className="soft">{texts.noRecordedRequestMatches}</div> : null}
    </Callout>
  )
}
