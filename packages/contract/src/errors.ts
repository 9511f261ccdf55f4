/**
 * The error catalogue of the admin API: one entry per code, with its status and the sentence that the caller reads.
 * Internal detail never goes into these; it goes to the log.
 */
export const ERRORS = {
  validation_failed: { status: 400, sentence: 'The request is not valid.' },
  malformed_request: { status: 400, sentence: 'The request is not valid HTTP.' },
  malformed_body: { status: 400, sentence: 'The body is not valid JSON.' },
  unauthorized: { status: 401, sentence: 'Unauthorized.' },
  missing_organization: { status: 401, sentence: 'Missing organization context.' },
  forbidden: { status: 403, sentence: 'Your role does not allow this.' },
  not_found: { status: 404, sentence: 'There is no such thing in your organization.' },
  method_not_allowed: { status: 405, sentence: 'This path does not take that method.' },
  not_acceptable: { status: 406, sentence: 'None of the media types in Accept can be produced.' },
  conflict: { status: 409, sentence: 'The change conflicts with the present state.' },
  gated_name_taken: { status: 409, sentence: 'This gated name is taken.' },
  origin_unproved: { status: 409, sentence: 'The origin is not proved to belong to your organization.' },
  idempotency_conflict: { status: 409, sentence: 'This Idempotency-Key was used for a different request.' },
  insufficient_credits: { status: 409, sentence: 'The credit balance is too low.' },
  precondition_failed: { status: 412, sentence: 'The thing has changed since the version in If-Match.' },
  body_too_large: { status: 413, sentence: 'The body is larger than the operation takes.' },
  unsupported_media_type: { status: 415, sentence: 'The body must be JSON.' },
  too_many_requests: { status: 429, sentence: 'Too many requests; try again later.' },
  internal: { status: 500, sentence: 'Something went wrong on our side.' },
  unavailable: { status: 503, sentence: 'A part of the service is not available now; try again.' },
} as const
export type ErrorCode = keyof typeof ERRORS

/** One bad field of a 400. `path` is a JSON Pointer into the body, or `query/name`, `params/name`, `headers/name`. */
export interface FieldError {
  readonly path: string
  readonly message: string
}

/** RFC 9457 problem document, as every error of the admin API is answered. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  /** The same as `detail`, for clients of the original interface. */
  readonly message: string
  readonly instance: string
  readonly requestId: string
  readonly code: ErrorCode
  readonly errors?: readonly FieldError[]
}
