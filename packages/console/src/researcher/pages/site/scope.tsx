import type { ResearcherPageScope } from '@sallyport/contract'
import { useGateQuery } from '../../api/use-gate-query.ts'
import { momentWords } from '../../design/moment.ts'
import { texts } from './texts.ts'

const FIREWALL_WORDS: Readonly<Record<ResearcherPageScope['firewall'], string>> = {
  off: texts.yourRequestsAre,
  observe: texts.attacksAreRecognized,
  enforce: texts.aRequestThat,
}

/** What may be tested and what may not, in words. */
export function Scope({ api }: { readonly api: string }) {
  const { data: scope, refusal } = useGateQuery<ResearcherPageScope>(`${api}scope`)
  return (
    <section className="panel" aria-labelledby="scope">
      <h2 id="scope">{texts.scopeAndRules}</h2>
      {refusal ? <p role="alert">{refusal.message}</p> : null}
      {scope ? (
        <>
          {scope.instructions ? (
            <p className="words">{scope.instructions}</p>
          ) : (
            <p className="soft">{texts.theOrganizationWrote}</p>
          )}
          {scope.blocked.length > 0 ? (
            <>
              <h3>{texts.notToBeTouched}</h3>
              <ul className="plain">
                {scope.blocked.map((rule) => (
                  <li key={rule.id}>
                    <code>{rule.pathPrefix}</code>{' '}
                    {rule.methods.length > 0 ? <span className="soft">{rule.methods.join(', ')}</span> : null}
                    {rule.note ? <span className="soft"> {rule.note}</span> : null}
                  </li>
                ))}
              </ul>
              <p className="soft">{texts.eachCoversEverythingBelow}</p>
            </>
          ) : null}
          <h3>{texts.goodToKnow}</h3>
          <ul className="plain">
            <li>{windowWords(scope)}</li>
            <li>{FIREWALL_WORDS[scope.firewall]}</li>
            {scope.refusesAmbiguousTargets ? <li>{texts.targetsThatCan}</li> : null}
            {scope.acceptsKeyAsPassword ? <li>{texts.aToolThatCannot}</li> : null}
            <li>{texts.everyRequestIsRecorded}</li>
          </ul>
        </>
      ) : null}
    </section>
  )
}

function windowWords(scope: ResearcherPageScope): string {
  const until = scope.stopsAt === null ? texts.untilItIsClosed : texts.until(momentWords(scope.stopsAt))
  return texts.openForTesting(until)
}
