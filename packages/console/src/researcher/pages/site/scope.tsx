import type { ResearcherPageScope } from '@sallyport/contract'
import { useGateQuery } from '../../api/use-gate-query.ts'

const FIREWALL_WORDS: Readonly<Record<ResearcherPageScope['firewall'], string>> = {
  off: 'Your requests are not inspected for attacks.',
  observe: 'Attacks are recognized and recorded, and refuse nothing: test freely.',
  enforce: 'A request that a firewall rule recognizes as an attack is refused, and names the rule.',
}

/** What may be tested and what may not, in words. */
export function Scope({ api }: { readonly api: string }) {
  const { data: scope, refusal } = useGateQuery<ResearcherPageScope>(`${api}scope`)
  return (
    <section className="panel" aria-labelledby="scope">
      <h2 id="scope">Scope and rules</h2>
      {refusal ? <p role="alert">{refusal.message}</p> : null}
      {scope ? (
        <>
          {scope.instructions ? (
            <p className="words">{scope.instructions}</p>
          ) : (
            <p className="soft">
              The organization wrote no instructions: the whole site is in scope but for what follows.
            </p>
          )}
          {scope.blocked.length > 0 ? (
            <>
              <h3>Not to be touched</h3>
              <ul className="plain">
                {scope.blocked.map((rule) => (
                  <li key={rule.id}>
                    <code>{rule.pathPrefix}</code>{' '}
                    {rule.methods.length > 0 ? <span className="soft">{rule.methods.join(', ')}</span> : null}
                    {rule.note ? <span className="soft"> {rule.note}</span> : null}
                  </li>
                ))}
              </ul>
              <p className="soft">Each covers everything below it, however the path is spelled.</p>
            </>
          ) : null}
          <h3>Good to know</h3>
          <ul className="plain">
            <li>{windowWords(scope)}</li>
            <li>{FIREWALL_WORDS[scope.firewall]}</li>
            {scope.refusesAmbiguousTargets ? (
              <li>Targets that can be read in more than one way are refused.</li>
            ) : null}
            {scope.acceptsKeyAsPassword ? (
              <li>
                A tool that cannot send a header may send your key as its password, with any user name (HTTP
                Basic).
              </li>
            ) : null}
            <li>Every request is recorded under your name, refused ones included.</li>
          </ul>
        </>
      ) : null}
    </section>
  )
}

function windowWords(scope: ResearcherPageScope): string {
  const until =
    scope.stopsAt === null ? 'until it is closed' : `until ${new Date(scope.stopsAt).toLocaleString()}`
  return `Open for testing ${until}.`
}
