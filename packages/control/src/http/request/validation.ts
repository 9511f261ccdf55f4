/** Checks a request against the schemas of its operation and names every bad field at once. */
import type { FieldError } from '@sallyport/contract'
import type { z } from 'zod'
import { ProblemError } from '../../errors.ts'

const ERRORS_MAX = 100
const PATH_CHARS_MAX = 300

export interface RequestParts {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

export interface RequestSchemas {
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
}

/** Returns what the schemas make of the parts. Throws a 400 with the bad fields of all of them. */
export function validate(schemas: RequestSchemas, parts: RequestParts): RequestParts {
  const errors: FieldError[] = []
  const check = (schema: z.ZodType | undefined, value: unknown, prefix: string): unknown => {
    if (!schema) return undefined
    const result = schema.safeParse(value)
    if (result.success) return result.data
    errors.push(...result.error.issues.flatMap((issue) => fieldErrors(issue, prefix)))
    return undefined
  }
  const checked = {
    params: check(schemas.params, parts.params, 'params/'),
    query: check(schemas.query, parts.query, 'query/'),
    body: check(schemas.body, parts.body, '/'),
  }
  if (errors.length > 0) throw new ProblemError('validation_failed', { errors: errors.slice(0, ERRORS_MAX) })
  return checked
}

/** Unknown properties come as one issue with all their names; each is a bad field of its own. */
function fieldErrors(issue: z.core.$ZodIssue, prefix: string): FieldError[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: pointer(prefix, [...issue.path, key]),
      message: 'is not a property of this',
    }))
  return [{ path: pointer(prefix, issue.path), message: issue.message }]
}

/** A JSON Pointer (RFC 6901); the whole body is the empty one. */
function pointer(prefix: string, path: readonly PropertyKey[]): string {
  if (path.length === 0 && prefix === '/') return ''
  const steps = path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'))
  return (prefix + steps.join('/')).slice(0, PATH_CHARS_MAX).toWellFormed()
}
