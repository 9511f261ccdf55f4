/** Errors as the admin API answers them: RFC 9457 problem documents. */
import { ERRORS, type ErrorCode, type Problem } from '@sallyport/contract'
import type { ProblemError } from '../errors.ts'

/** Where the codes are explained. */
const problemType = (code: ErrorCode): string => `urn:sallyport:error:${code}`

/** Writes the document. `instance` names this occurrence and not the path, which would hold the identifier asked for. */
export function problemOf(error: ProblemError, requestId: string): Problem {
  return {
    type: problemType(error.code),
    title: ERRORS[error.code].sentence,
    status: error.status,
    detail: error.message,
    message: error.message,
    instance: `urn:uuid:${requestId}`,
    requestId,
    code: error.code,
    ...(error.errors && { errors: error.errors }),
  }
}
