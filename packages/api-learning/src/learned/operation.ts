/** What is learned of an API: its operations, each with its evidence. */

/** `candidate`: too few researchers stand behind it. `learned`: enough do. `confirmed`: a person said so. */
export type OperationState = 'candidate' | 'learned' | 'confirmed'

/** What stands behind something that was learned. Times are in milliseconds since the epoch. */
export interface LearnedEvidence {
  /** Requests without a hit of the firewall. */
  readonly requests: number
  /** Requests with one. */
  readonly covered: number
  /** How many researchers, counted up to eight. */
  readonly researchers: number
  readonly firstSeen: number
  readonly lastSeen: number
  /** From 0 to 1. */
  readonly confidence: number
}

export interface LearnedParameter {
  readonly name: string
  readonly place: 'path' | 'query'
  /** A type of path segments or of query values: `integer`, `uuid`, `string` … */
  readonly type: string
}

export interface LearnedOperation {
  readonly method: string
  /** Segments of the path, with the parameters of it in braces: `/orders/{orderId}`. */
  readonly template: string
  readonly state: OperationState
  readonly parameters: readonly LearnedParameter[]
  /** Media types of the request's body, and of answers. */
  readonly bodyTypes: readonly string[]
  readonly mediaTypes: readonly string[]
  readonly statuses: readonly number[]
  readonly evidence: LearnedEvidence
}
