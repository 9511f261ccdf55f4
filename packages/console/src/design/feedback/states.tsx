/** What a view shows while it loads, where it is empty, and where it failed: always words, and the next step. */
import { Button, Loader } from '@mantine/core'
import type { ReactNode } from 'react'
import { useReach } from '../../api/api.tsx'
import { errorWords, isFinalRefusal, isRefusal } from '../../api/error-words.ts'
import { Icon, type IconName } from '../icon.tsx'
import classes from './states.module.css'
import { texts } from './texts.ts'

export function LoadingState({ label = texts.loading }: { readonly label?: string }) {
  return (
    <div className={classes.state} role="status">
      <Loader size="sm" type="dots" aria-hidden="true" />
      <span className="soft">{label}</span>
    </div>
  )
}

export function EmptyState(props: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className={classes.state}>
      <span className={classes.icon}>
        <Icon name={props.icon} size={22} />
      </span>
      <strong>{props.title}</strong>
      {props.children ? <div className={classes.words}>{props.children}</div> : null}
      {props.action}
    </div>
  )
}

/** What cannot be asked for now, in one line: the frame of the page says why. */
function UnknownState({ title, onRetry }: { readonly title: string; readonly onRetry?: () => void }) {
  return (
    <div className={classes.state}>
      <span className="soft">
        {texts.notAvailableRightNow(title.charAt(0).toLowerCase() + title.slice(1))}
      </span>
      {onRetry ? (
        <Button variant="subtle" size="compact-xs" onClick={onRetry}>
          {texts.tryAgain}
        </Button>
      ) : null}
    </div>
  )
}

export function ErrorState(props: { readonly error: unknown; readonly onRetry?: () => void }) {
  const words = errorWords(props.error)
  return (
    <div className={classes.state} role="alert">
      <span className={classes.fault}>
        <Icon name="warning" size={22} />
      </span>
      <strong>{words.title}</strong>
      {words.detail ? <div className={classes.words}>{words.detail}</div> : null}
      {words.requestId ? <code className="soft">{texts.request(words.requestId)}</code> : null}
      {props.onRetry && !isFinalRefusal(props.error) ? (
        <Button variant="default" onClick={props.onRetry}>
          {texts.tryAgain}
        </Button>
      ) : null}
    </div>
  )
}

/** What a view needs of a query of TanStack Query. */
export interface ShownQuery {
  readonly isPending: boolean
  readonly error: unknown
  /** What was answered before, which stays on the screen. */
  readonly data?: unknown
  readonly refetch: () => unknown
}

/** What is shown until a query is answered: that it loads, or why it failed. */
export function QueryState(props: {
  readonly query: ShownQuery
  readonly loading?: ReactNode
  /** Whether an error offers to ask again; it does unless this says no. */
  readonly canRetry?: boolean
}) {
  const { query, loading = <LoadingState />, canRetry = true } = props
  const retry = canRetry ? { onRetry: () => void query.refetch() } : {}
  return (
    <>
      {query.isPending ? loading : null}
      {query.error ? (
        <QueryFailure error={query.error} isAnswered={query.data !== undefined} {...retry} />
      ) : null}
    </>
  )
}

/** Why something could not be asked; in short, or not at all where an earlier answer shows, while the whole page says that it is away. */
export function QueryFailure(props: {
  readonly error: unknown
  readonly isAnswered?: boolean
  readonly onRetry?: () => void
}) {
  const { error, isAnswered = false, ...retry } = props
  const { faults } = useReach()
  const isShownAbove = Object.keys(faults).length > 0 && !isRefusal(error)
  if (!isShownAbove) return <ErrorState error={error} {...retry} />
  return isAnswered ? null : <UnknownState title={errorWords(error).title} {...retry} />
}
