import { REASONS } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'
import { Callout } from '../../../design/feedback/callout.tsx'
import { CopyButton } from '../../../design/form/copy.tsx'
import { Tag } from '../../../design/table/status.tsx'
import { OutcomeMark } from '../../../parts/traffic/outcome-mark.tsx'
import { FindingList } from '../inspector/finding-list.tsx'
import classes from '../traffic.module.css'
import { RequestFacts } from './request-facts.tsx'
import { texts } from './texts.ts'

const EVENT_WORDS = {
  request: '',
  websocket_open: texts.websocketOpened,
  websocket_close: texts.websocketClosed,
} as const

/** Every field of a recorded request. */
export function RequestDetail({ request }: { readonly request: LoggedRequest }) {
  return (
    <div className={classes.detail}>
      <div className={classes.hitHead}>
        <OutcomeMark outcome={request.outcome} />
        {request.method ? <Tag>{request.method}</Tag> : null}
        <strong className="tabular">{request.status || texts.noAnswer}</strong>
        <span className="soft">{EVENT_WORDS[request.kind]}</span>
      </div>
      <WhyRefused request={request} />
      {request.requestCount > 1 ? (
        <Callout tone="warn" gap={4}>
          <strong>{texts.requests(request.requestCount)}</strong>
          <span>{texts.strangersCausedSoMany}</span>
        </Callout>
      ) : null}
      {request.target ? (
        <div>
          <div className={classes.targetHead}>
            <h3>{texts.targetAsSent}</h3>
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
      <strong>{texts.whyItWasRefused}</strong>
      <span>{isReason(request.reason) ? REASONS[request.reason] : request.reason}</span>
      {request.rule ? (
        <span>
          {texts.rule(
            <span className="mono">{request.rule}</span>,
            request.outcome === 'block' && request.siteId ? (
              <Link to="/sites/$siteId/$tab" params={{ siteId: request.siteId, tab: 'blocks' }}>
                {texts.seeTheBlockRules}
              </Link>
            ) : null,
          )}
        </span>
      ) : null}
      {request.reading ? <span>{texts.thePathFellUnder(request.reading)}</span> : null}
    </Callout>
  )
}
