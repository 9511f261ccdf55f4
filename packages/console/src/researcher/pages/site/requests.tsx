import type { Outcome, ResearcherPageRequest, ResearcherPageRequests } from '@sallyport/contract'
import { useGateQuery } from '../../api/use-gate-query.ts'

const REFRESH_MS = 3_000
const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  origin: 'Passed',
  block: 'Refused: block rule',
  limit: 'Refused: rate limit',
  firewall: 'Refused: firewall',
  gate: 'Answered by the gate',
  interrupted: 'Interrupted',
}

/** The researcher's own requests, newest first, and why each refusal happened. */
export function Requests({ api }: { readonly api: string }) {
  const { data, refusal } = useGateQuery<ResearcherPageRequests>(`${api}requests`, REFRESH_MS)
  return (
    <section className="panel" aria-labelledby="requests">
      <h2 id="requests">Your recent requests</h2>
      {refusal ? <p role="alert">{refusal.message}</p> : null}
      {data?.items.length === 0 ? (
        <p className="soft">None yet. They show here as you test, with the reason for each refusal.</p>
      ) : null}
      {data && data.items.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className="scroll" aria-label="Requests" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Request</th>
                <th scope="col">Status</th>
                <th scope="col">What happened</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((request) => (
                <Row key={request.id} request={request} />
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
    </section>
  )
}

function Row({ request }: { readonly request: ResearcherPageRequest }) {
  return (
    <tr>
      <td className="when">{new Date(request.time).toLocaleTimeString()}</td>
      <td>
        <code>
          {request.method} {request.target}
        </code>
      </td>
      <td>{request.status || '–'}</td>
      <td>
        <span className="outcome" data-outcome={request.outcome}>
          {OUTCOME_WORDS[request.outcome]}
        </span>
        {request.sentence ? <div>{request.sentence}</div> : null}
        {request.rule ? (
          <div className="soft">
            Rule <code>{request.rule}</code>
            {request.reading ? `, reading the path: ${request.reading}` : ''}
          </div>
        ) : null}
        {request.reason ? <div className="soft">Reference {request.id}</div> : null}
      </td>
    </tr>
  )
}
