/**
 * An operation of the admin API as data: the server routes by it, the client calls by it, OpenAPI is generated from it
 * and the tests enumerate it, so that none of them can disagree.
 */
import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import type { Permission } from '../permissions.ts'

export interface Operation {
  /** Unique camel-case name, `<area><Verb>`; the client's method and OpenAPI's `operationId`. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path as the specification writes it, parameters in braces: `/api/Sites/disable/{id}`. Matched case-insensitively. */
  readonly path: string
  readonly summary: string
  /** What a caller should know beyond the summary: effects, defaults, errors particular to it. Markdown. */
  readonly description: string
  readonly permission: Permission
  /** False for the fifteen operations of the specification. */
  readonly extension: boolean
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /**
   * What the body may be written in: JSON (the default), for `document` JSON or YAML, for `form` a form (multipart/form-data)
   * whose `file` is such a document.
   */
  readonly consumes?: 'json' | 'document' | 'form'
  /** Where the body may be larger than `BODY_BYTES_MAX`. */
  readonly bodyBytesMax?: number
  /** Schema of the success body; absent for 204. */
  readonly response?: z.ZodType
  readonly status: 200 | 201 | 204
  /** Errors that it answers beyond those that follow from the rest of this. */
  readonly errors?: readonly ErrorCode[]
  /**
   * How the success body is written. `json`: by Accept as application/json, text/json or text/plain. `json-string`: a
   * JSON-encoded string whose content is `response` as JSON; bare with Accept text/plain. `stream`: the route writes it.
   */
  readonly format: 'json' | 'json-string' | 'stream'
  /** Answers an ETag and honours If-Match. */
  readonly versioned?: boolean
  /** Honours Idempotency-Key. */
  readonly idempotent?: boolean
  readonly examples: {
    readonly body?: unknown
    readonly query?: Record<string, string>
    /** The success body; of a stream, the body by media type. */
    readonly response?: unknown
  }
}

/** What an operation is where its declaration does not say otherwise. */
const DEFAULTS = { method: 'GET', status: 200, format: 'json', extension: true, examples: {} } as const

type OperationDeclaration = Omit<Operation, 'id' | keyof typeof DEFAULTS> &
  Partial<Pick<Operation, keyof typeof DEFAULTS>>
type Declared<Id, Declaration> = Omit<typeof DEFAULTS, keyof Declaration> & Declaration & { readonly id: Id }

/** Declares operations by their ids, with the defaults, keeping their literal types for the client. */
export function declareOperations<const T extends Readonly<Record<string, OperationDeclaration>>>(
  declarations: T,
): { readonly [Id in keyof T]: Declared<Id, T[Id]> } {
  const operations = Object.entries(declarations).map(([id, declaration]) => [
    id,
    { ...DEFAULTS, ...declaration, id },
  ])
  // Each entry is its declaration with the defaults, which `entries` does not say.
  return Object.fromEntries(operations)
}
