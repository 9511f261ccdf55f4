import type { ResearcherPageBudget, ResearcherPageLimit } from '@sallyport/contract'
import { LIMITER_WORDS } from '@sallyport/policy'
import { wholeNumber } from '../../../language/number.ts'
import { useGateQuery } from '../../api/use-gate-query.ts'
import { texts } from './texts.ts'

const REFRESH_MS = 2_000
const LOW_SHARE = 0.2

/** What is left of the limits that hold for this researcher here, when more comes, and what is under way. */
export function Budget({ api }: { readonly api: string }) {
  const { data: budget, refusal } = useGateQuery<ResearcherPageBudget>(`${api}budget`, REFRESH_MS)
  return (
    <section className="panel" aria-labelledby="budget">
      <h2 id="budget">{texts.yourBudget}</h2>
      {refusal ? <p role="alert">{refusal.message}</p> : null}
      {budget?.limits.length === 0 ? <p>{texts.theRateOfYour}</p> : null}
      {budget?.limits.map((limit) => (
        <Limit key={limit.applies} limit={limit} />
      ))}
      {budget ? (
        <p>{texts.ofRequestsUnderWay(wholeNumber(budget.running), wholeNumber(budget.runningMax))}</p>
      ) : null}
      <p className="soft">
        {texts.everyAnswerCarriesHeaders(<code>RateLimit</code>, <code>Retry-After</code>)}
      </p>
    </section>
  )
}

function Limit({ limit }: { readonly limit: ResearcherPageLimit }) {
  const who = limit.applies === 'site' ? texts.allResearchersTogether : texts.you
  const isLow = limit.remaining < limit.limit * LOW_SHARE
  return (
    <div className="limit" data-low={isLow}>
      <div className="limit-words">
        <span>{who}</span>
        <strong>{texts.ofLeft(wholeNumber(limit.remaining), wholeNumber(limit.limit))}</strong>
      </div>
      <div className="limit-bar" aria-hidden="true">
        <span style={{ width: `${(100 * limit.remaining) / limit.limit}%` }} />
      </div>
      <p className="soft">{limitWords(limit)}</p>
    </div>
  )
}

/** What the limit is, and when there is more of it. */
function limitWords(limit: ResearcherPageLimit): string {
  const { windowMs, policy, resetMs } = limit
  if (windowMs === null) return texts.atOnceNot(policy)
  const rule = texts.inPolicy(wholeNumber(limit.limit), spanWords(windowMs), policy)
  if (resetMs === 0) return texts.noneIsUsed(rule)
  return texts.in(rule, LIMITER_WORDS[limit.kind].comesBack, spanWords(resetMs))
}

function spanWords(milliseconds: number): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1_000))
  if (seconds < 60) return `${seconds} s`
  const rest = seconds % 60
  return rest === 0 ? texts.min(seconds / 60) : texts.minS(Math.floor(seconds / 60), rest)
}
