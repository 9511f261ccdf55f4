import { REASONS } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'
import { Callout } from '../../../design/feedback/callout.tsx'
import { CopyButton } from '../../../design/form/copy.tsx'
import { wholeNumber } from '../../../design/number.ts'
import { Tag } from '../../../design/table/status.tsx'
import { OutcomeMark } from '../../../parts/traffic/outcome-mark.tsx'
import { FindingList } from '../inspector/finding-list.tsx'
import classes from '../traffic.module.css'
import { RequestFacts } from './request-facts.tsx'

const EVENT_WORDS = {
  request: '',
  websocket_open: 'WebSocket opened',
  websocket_close: 'WebSocket closed',
} as const

/** Every field of a recorded request. */
export function RequestDetail({ request }: { readonly request: LoggedRequest }) {
  return (
    <div className={classes.detail}>
      <div className={classes.hitHead}>
        <OutcomeMark outcome={request.outcome} />
        {request.method ? <Tag>{request.method}</Tag> : null}
        <strong className="tabular">{request.status || 'no answer'}</strong>
        <span className="soft">{EVENT_WORDS[request.kind]}</span>
      </div>
      <WhyRefused request={request} />
      {request.requestCount > 1 ? (
        <Callout tone="warn" gap={4}>
          <strong>{wholeNumber(request.requestCount)} requests</strong>
          <span>
            Strangers caused so many refusals that alike ones are counted together: what is missing here
            differed among them. Bytes are of all of them, times the mean of one, and the id is that of the
            first.
          </span>
        </Callout>
      ) : null}
      {request.target ? (
        <div>
          <div className={classes.targetHead}>
            <h3>Target as sent</h3>
            <CopyButton value={request.target} />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long one is scrolled by the keyboard, too */}
          <pre className={classes.target} tabIndex={0}>
            {request.target}
          </pre>
        </div>
      ) : null}
      <FindingList request={request} />
      <RequestFacts request={request} />
    </div>
  )
}

const isReason = (reason: string): reason is keyof typeof REASONS => Object.hasOwn(REASONS, reason)

/** The reason in words, the rule by name, and how the path was read where that decided it. */
function WhyRefused({ request }: { readonly request: LoggedRequest }) {
  if (request.reason === '') return null
  return (
    <Callout tone="warn" gap={4}>
      <strong>Why it was refused</strong>
      <span>{isReason(request.reason) ? REASONS[request.reason] : request.reason}</span>
      {request.rule ? (
        <span>
          Rule: <span className="mono">{request.rule}</span>{' '}
          {request.outcome === 'block' && request.siteId ? (
            <Link to="/sites/$siteId/$tab" params={{ siteId: request.siteId, tab: 'blocks' }}>
              See the block rules
            </Link>
          ) : null}
        </span>
      ) : null}
      {request.reading ? <span>The path fell under it when read as: {request.reading}.</span> : null}
    </Callout>
  )
}
