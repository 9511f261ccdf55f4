/**
 * Cursors of the list of operations. The list is learned anew for each page, so a cursor is the last operation of its page, and no
 * number: operations that come or go before it neither repeat nor hide others. Operations are sorted by template and method.
 */
import { createHash } from 'node:crypto'
import { CURSOR_CHARS_MAX } from '@sallyport/contract'
import { z } from 'zod'
import { invalid } from '../../../errors.ts'
import { compareNames, type OperationName } from './site-api.ts'

const PREFIX_CHARS = 100
/** Of a template that is too long for a cursor, its beginning and its digest. */
const schema = z.union([
  z.tuple([z.string(), z.string()]),
  z.tuple([z.string().max(PREFIX_CHARS), z.string(), z.string()]),
])

export function writeOperationCursor({ method, template }: OperationName): string {
  const whole = encode([template, method])
  if (whole.length <= CURSOR_CHARS_MAX) return whole
  return encode([
    template.slice(0, PREFIX_CHARS),
    method.slice(0, PREFIX_CHARS),
    digestOf({ method, template }),
  ])
}

/** The operations after the cursor. Throws a 400 for what `writeOperationCursor` did not write. */
export function afterCursor<Operation extends OperationName>(
  operations: readonly Operation[],
  cursor: string,
): Operation[] {
  const [template, method, digest] = read(cursor)
  const last = { template, method }
  if (digest === undefined) return operations.filter((operation) => compareNames(operation, last) > 0)
  const index = operations.findIndex(
    (operation) => operation.template.startsWith(template) && digestOf(operation) === digest,
  )
  // Where it is gone, those that begin like it may come twice, and none is missed.
  return index >= 0
    ? operations.slice(index + 1)
    : operations.filter((operation) => compareNames(operation, { template, method: '' }) > 0)
}

function read(cursor: string): z.infer<typeof schema> {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')))
  } catch {
    throw invalid('query/cursor', 'is not a cursor')
  }
}

const encode = (parts: readonly string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url')

const digestOf = ({ method, template }: OperationName): string =>
  createHash('sha256')
    .update(JSON.stringify([template, method]))
    .digest('base64url')
