/** What is thrown anywhere in the control plane to end a request, by the codes of the contract's catalogue. */
import { ERRORS, type ErrorCode, type FieldError } from '@sallyport/contract'

export interface ProblemDetails {
  /** Bad fields of a 400. */
  readonly errors?: readonly FieldError[]
  /** Said to the caller instead of the sentence of the catalogue. */
  readonly detail?: string
  readonly headers?: Readonly<Record<string, string>>
  /** What really happened; for the log alone. */
  readonly cause?: unknown
}

/** Thrown anywhere below a route to end the request with a problem document. */
export class ProblemError extends Error {
  /** As logs have it. */
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  readonly errors: readonly FieldError[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, details: ProblemDetails = {}) {
    super(details.detail ?? ERRORS[code].sentence, { cause: details.cause })
    this.code = code
    this.errors = details.errors
    this.headers = details.headers ?? {}
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}

/** The one answer for what does not exist, and for what exists in another organization. */
export const notFound = (): ProblemError => new ProblemError('not_found')

/** A 429, with the seconds after which it is worth trying again. */
export const tooManyRequests = (
  retryAfterSeconds: number,
  why: { readonly detail?: string; readonly cause?: unknown } = {},
): ProblemError =>
  new ProblemError('too_many_requests', {
    ...why,
    headers: { 'retry-after': String(Math.ceil(retryAfterSeconds)) },
  })

/** A 503 where something has no room or no time now, with the seconds after which it is worth trying again. */
export const unavailable = (detail: string, retryAfterSeconds: number, cause?: unknown): ProblemError =>
  new ProblemError('unavailable', {
    detail,
    headers: { 'retry-after': String(Math.ceil(retryAfterSeconds)) },
    cause,
  })

/** A 400 about one field; `path` is a JSON Pointer into the body, or `query/name`. */
export const invalid = (path: string, message: string): ProblemError =>
  new ProblemError('validation_failed', { errors: [{ path, message }] })

/** A later version has migrated a store. Migrations go forward only: what it has made of it, this version does not know. */
export class LaterVersion extends Error {
  readonly code = 'LATER_VERSION'

  /** `store` as in a sentence: `the database`. */
  constructor(store: string) {
    super(
      `${store} was migrated by a later version of Sallyport: run that version, or restore a backup from before it`,
    )
  }
}
