import { Link } from '@tanstack/react-router'
import { useLiveTail } from '../../api/traffic/live-tail.ts'
import { loggedRequests } from '../../api/traffic/request-filters.ts'
import type { useSituation } from '../../api/traffic/situation-queries.ts'
import { EmptyState, LoadingState, QueryFailure } from '../../design/feedback/states.tsx'
import { isolated } from '../../design/isolated.ts'
import { Panel } from '../../design/page/panel.tsx'
import { Status } from '../../design/table/status.tsx'
import { useTime } from '../../design/time/time.tsx'
import { OutcomeMark } from '../../parts/traffic/outcome-mark.tsx'
import classes from './overview.module.css'
import { texts } from './texts.ts'

const SHOWN = 10
const EVERYTHING = {}
const STATES = {
  connecting: { tone: 'busy', words: texts.connecting },
  live: { tone: 'good', words: texts.live },
  paused: { tone: 'off', words: texts.paused },
  failed: { tone: 'bad', words: texts.reconnecting },
} as const

/** The newest requests, as they come; those of the situation until the first one does. */
export function LiveFeed({ situation }: { readonly situation: ReturnType<typeof useSituation> }) {
  const tail = useLiveTail(EVERYTHING, true, SHOWN)
  const newest = loggedRequests(situation.data?.newest ?? [])
  const known = new Set(tail.requests.map((request) => request.id))
  const shown = [...tail.requests, ...newest.filter((request) => !known.has(request.id))].slice(0, SHOWN)
  const names = new Map(
    [...(situation.data?.senders ?? []), ...(situation.data?.newestSenders ?? [])].map(({ id, name }) => [
      id,
      name,
    ]),
  )
  const time = useTime()
  return (
    <Panel
      title={texts.liveRequests}
      actions={
        <>
          <Status {...STATES[tail.state]} />
          <Link to="/traffic" search={{ live: true }}>
            {texts.watch}
          </Link>
        </>
      }
    >
      {shown.length === 0 && situation.isPending ? <LoadingState label={texts.loadingRequests} /> : null}
      {shown.length === 0 && situation.error ? (
        <QueryFailure error={situation.error} onRetry={() => void situation.refetch()} />
      ) : null}
      {shown.length === 0 && situation.isSuccess ? (
        <EmptyState icon="traffic" title={texts.noRequestsYet}>
          {texts.noRequestsYetBody}
        </EmptyState>
      ) : null}
      <ol className={classes.feed}>
        {shown.map((request) => (
          <li
            key={`${request.id} ${request.kind}`}
            title={
              request.researcherId === ''
                ? texts.stranger
                : isolated(names.get(request.researcherId) ?? request.researcherId)
            }
          >
            <OutcomeMark outcome={request.outcome} brief />
            <time className="soft">{time.clock(request.time).slice(0, 8)}</time>
            <span>{request.method}</span>
            <Link to="/traffic" search={{ request: request.id }} className="clip mono">
              {request.target}
            </Link>
            <span className={classes.feedStatus}>{request.status || '–'}</span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
