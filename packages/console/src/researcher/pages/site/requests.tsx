import type {
  Outcome,
  ResearcherPageRequest,
  ResearcherPageRequests,
  ResearcherPageScope,
} from '@sallyport/contract'
import { useEffect, useRef } from 'react'
import { useGateQuery } from '../../api/use-gate-query.ts'
import { momentWords, timeWords } from '../../design/moment.ts'
import { linkedRequest } from './linked-request.ts'
import { texts } from './texts.ts'

const REFRESH_MS = 3_000
const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  origin: texts.passed,
  block: texts.refusedBlockRule,
  limit: texts.refusedRateLimit,
  firewall: texts.refusedFirewall,
  gate: texts.answeredByTheGate,
  interrupted: texts.interrupted,
}

/** The researcher's own requests, newest first, and why each refusal happened; the one that the address names is marked. */
export function Requests({ api, fragment }: { readonly api: string; readonly fragment: string }) {
  const { data, refusal } = useGateQuery<ResearcherPageRequests>(`${api}requests`, REFRESH_MS)
  const { data: scope } = useGateQuery<ResearcherPageScope>(`${api}scope`)
  const linked = linkedRequest(fragment)
  const isForgotten = linked !== '' && data && !data.items.some(({ id }) => id === linked)
  const noteOf = (rule: string): string => scope?.blocked.find(({ id }) => id === rule)?.note ?? ''
  return (
    <section className="panel" aria-labelledby="requests">
      <h2 id="requests">{texts.yourRecentRequests}</h2>
      {refusal ? <p role="alert">{refusal.message}</p> : null}
      {isForgotten ? <p className="soft">{texts.theRequestThatLed(<code>{linked}</code>)}</p> : null}
      {data?.items.length === 0 ? <p className="soft">{texts.noneYetTheyShow}</p> : null}
      {data && data.items.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className="scroll" aria-label={texts.requests} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.time}</th>
                <th scope="col">{texts.request}</th>
                <th scope="col">{texts.status}</th>
                <th scope="col">{texts.whatHappened}</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((request) => (
                <Row
                  key={request.id}
                  request={request}
                  note={noteOf(request.rule)}
                  isLinked={request.id === linked}
                />
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
    </section>
  )
}

function Row(props: {
  readonly request: ResearcherPageRequest
  /** What the organization wrote beside the rule. */
  readonly note: string
  readonly isLinked: boolean
}) {
  const { request, note, isLinked } = props
  const row = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (isLinked) row.current?.scrollIntoView({ block: 'center' })
  }, [isLinked])
  return (
    <tr ref={row} aria-current={isLinked || undefined}>
      <td className="when" title={momentWords(request.time)}>
        {timeWords(request.time)}
      </td>
      <td className="request">
        <code>
          {request.method} {request.target}
        </code>
      </td>
      <td className="status">{request.status || '–'}</td>
      <td className="what-happened">
        <span className="outcome" data-outcome={request.outcome}>
          {OUTCOME_WORDS[request.outcome]}
        </span>
        {request.sentence ? <div>{request.sentence}</div> : null}
        {request.rule ? (
          <div className="soft">
            {texts.ruleReadingThePath(<code>{request.rule}</code>, request.reading)}
            {note ? <span>: {note}</span> : null}
          </div>
        ) : null}
        {request.reason ? <div className="soft">{texts.reference(request.id)}</div> : null}
      </td>
    </tr>
  )
}
