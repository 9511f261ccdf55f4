import { REASONS } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import type { LoggedRequest } from '../../../api/traffic/logged-request.ts'
import classes from '../traffic.module.css'

const isReason = (reason: string): reason is keyof typeof REASONS => Object.hasOwn(REASONS, reason)

/** The reason in words, the rule by name, and how the path was read where that decided it. */
export function WhyRefused({ request }: { readonly request: LoggedRequest }) {
  if (request.reason === '') return null
  return (
    <div className={classes.why}>
      <strong>Why</strong>
      <span>{isReason(request.reason) ? REASONS[request.reason] : request.reason}</span>
      {request.rule ? (
        <span>
          Rule: <span className="mono">{request.rule}</span>{' '}
          {request.outcome === 'block' && request.siteId ? (
            <Link to="/sites/$siteId/$tab" params={{ siteId: request.siteId, tab: 'blocks' }}>
              see the block rules
            </Link>
          ) : null}
        </span>
      ) : null}
      {request.reading ? <span>The path fell under it when read as: {request.reading}.</span> : null}
    </div>
  )
}
