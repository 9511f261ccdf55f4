/**
 * What an operator closes at one gateway by its admin port (decision 0247), for when the control plane cannot: it holds there until it
 * is opened there, whatever the configuration says. The gateway reports each act with `POST /gateway/closures` and a
 * `ClosureReport` when it reaches the control plane, and again until that answers 204; each is recorded once, in the
 * installation's log.
 */
export const CLOSURES_PATH = '/gateway/closures'

/** What is closed: everything that the gateway serves, one site, or whatever one researcher asks for. */
export interface ClosureScope {
  readonly kind: 'everything' | 'site' | 'researcher'
  /** Of the site or researcher; empty for everything. */
  readonly id: string
}

export interface ClosureAct {
  /** A UUID. */
  readonly id: string
  readonly act: 'close' | 'open'
  readonly scope: ClosureScope
  /** Milliseconds since the epoch, by the gateway's clock. */
  readonly time: number
  /** Who acted, as they called themselves; everybody who acts has the same token. */
  readonly by: string
  readonly reason: string
}

export interface ClosureReport {
  readonly gatewayId: string
  /** Oldest first. */
  readonly acts: readonly ClosureAct[]
}

export const CLOSURE_SCOPES = ['everything', 'site', 'researcher'] as const
export const CLOSURE_TEXT_CHARS_MAX = 200
/** Acts in one report. */
export const CLOSURE_ACTS_MAX = 100
