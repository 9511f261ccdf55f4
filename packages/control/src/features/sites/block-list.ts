/** The `blockList` of a site: on the wire a string that holds a JSON array of block rules. */
import { type BlockRule, blockRules } from '@sallyport/contract'
import type { z } from 'zod'
import { newId } from '../../database/database.ts'
import { invalid, ProblemError } from '../../errors.ts'

const FAULTS_SHOWN_MAX = 100
const NAME_CHARS_SHOWN_MAX = 100

/**
 * Reads the rules and writes them again as they are stored: complete, and each with an id. Empty text means no rules.
 * Throws a 400 that says which rule and field is wrong; `path` is where the text was sent.
 */
export function normalizeBlockList(text: string, path = '/blockList'): string {
  const parsed = blockRules.safeParse(parse(text, path))
  if (!parsed.success)
    throw new ProblemError('validation_failed', {
      errors: parsed.error.issues
        .flatMap(faultsOf)
        .slice(0, FAULTS_SHOWN_MAX)
        .map((message) => ({ path, message })),
    })
  const rules = parsed.data.map((rule): BlockRule => ({ ...rule, id: rule.id ?? newId() }))
  const firstOf = new Map(rules.map(({ id }, index) => [id, index] as const).toReversed())
  const repeated = rules.findIndex(({ id }, index) => firstOf.get(id) !== index)
  if (repeated >= 0) throw invalid(path, `rule ${repeated}, id: is the id of another rule`)
  return JSON.stringify(rules)
}

function parse(text: string, path: string): unknown {
  if (text.trim() === '') return []
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    throw new ProblemError('validation_failed', {
      errors: [{ path, message: `is not valid JSON: ${reason}`.toWellFormed().slice(0, 300) }],
      cause,
    })
  }
}

/** What is wrong, and where; each member that no rule has is a fault of its own. */
function faultsOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'unrecognized_keys') return [`${placeOf(issue.path)}${issue.message}`]
  return issue.keys
    .slice(0, FAULTS_SHOWN_MAX)
    .map((key) => `${placeOf([...issue.path, shortened(key)])}is not a member of a rule`)
}

const shortened = (name: string): string => name.slice(0, NAME_CHARS_SHOWN_MAX).toWellFormed()

function placeOf([rule, ...field]: readonly PropertyKey[]): string {
  if (rule === undefined) return ''
  return field.length > 0 ? `rule ${String(rule)}, ${field.join('.')}: ` : `rule ${String(rule)}: `
}
