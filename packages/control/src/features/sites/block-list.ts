/** The `blockList` of a site: on the wire a string that holds a JSON array of block rules. */
import { type BlockRule, blockRules } from '@sallyport/contract'
import { newId } from '../../database/database.ts'
import { ApiError, invalid } from '../../errors.ts'

const PATH = '/blockList'

/**
 * Reads the rules and writes them again as they are stored: complete, and each with an id. Empty text means no rules.
 * Throws a 400 that says which rule and field is wrong.
 */
export function normalizeBlockList(text: string): string {
  const parsed = blockRules.safeParse(parse(text))
  if (!parsed.success)
    throw new ApiError('validation_failed', {
      errors: parsed.error.issues.slice(0, 100).map((issue) => ({
        path: PATH,
        message: `${placeOf(issue.path)}${issue.message}`,
      })),
    })
  const rules = parsed.data.map((rule): BlockRule => ({ ...rule, id: rule.id ?? newId() }))
  const repeated = rules.findIndex((rule, index) => rules.findIndex(({ id }) => id === rule.id) !== index)
  if (repeated >= 0) throw invalid(PATH, `rule ${repeated}, id: is the id of another rule`)
  return JSON.stringify(rules)
}

function parse(text: string): unknown {
  if (text.trim() === '') return []
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    throw new ApiError('validation_failed', {
      errors: [{ path: PATH, message: `is not valid JSON: ${reason}`.toWellFormed().slice(0, 300) }],
      cause,
    })
  }
}

function placeOf([rule, ...field]: readonly PropertyKey[]): string {
  if (rule === undefined) return ''
  return field.length > 0 ? `rule ${String(rule)}, ${field.join('.')}: ` : `rule ${String(rule)}: `
}
