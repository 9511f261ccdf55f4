import type { ResearcherPageLimit } from '@sallyport/contract'
import { useGate } from './use-gate.ts'

const REFRESH_MS = 5_000

/** The limits that hold for this researcher here, and what is under way. */
export function Budget({ apiKey }: { readonly apiKey: string }) {
  const { data: budget } = useGate('budget', apiKey, REFRESH_MS)
  return (
    <section className="panel" aria-labelledby="budget">
      <h2 id="budget">Your budget</h2>
      {budget ? (
        <ul className="plain">
          {budget.limits.length === 0 ? <li>The rate of your requests is not limited here.</li> : null}
          {budget.limits.map((limit) => (
            <li key={`${limit.applies} ${limit.policy}`}>{limitWords(limit)}</li>
          ))}
          <li>
            {budget.running} of {budget.runningMax} requests under way at once.
          </li>
        </ul>
      ) : null}
      <p className="soft">Every answer carries RateLimit headers; a 429 says in Retry-After when to go on.</p>
    </section>
  )
}

function limitWords(limit: ResearcherPageLimit): string {
  const who = limit.applies === 'site' ? 'All researchers together' : 'You'
  const requests = `${limit.limit.toLocaleString('en')} requests`
  if (limit.windowMs === null) return `${who}: ${requests} at once (${limit.policy}).`
  const seconds = limit.windowMs / 1_000
  const window = seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
  return `${who}: ${requests} in ${window} (${limit.policy}).`
}
