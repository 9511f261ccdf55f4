/**
 * Patterns of schemas, matched in time linear in the text by RE2. A schema's patterns are written for ECMAScript; what RE2 does not
 * have (looking around, referring back), or would make too large a program of, is not judged by.
 */
import { RE2JS } from 're2js'

const PATTERN_CHARS_MAX = 1_000
const PROGRAM_MAX = 2_000
/** Instructions times characters that are one step of the budget. */
const WORK_PER_STEP = 16

interface Pattern {
  readonly program: RE2JS
  readonly size: number
}

/** Instructions of all patterns of a table: some 30 MB. */
const PROGRAMS_MAX = 100_000

/** Tells of one pattern after the other of a table whether it can be judged by. */
export function patternUses(): (source: string) => boolean {
  const patterns = new Patterns()
  return (source) => patterns.isUsable(source)
}

function compilePattern(source: string): Pattern | undefined {
  if (source.length > PATTERN_CHARS_MAX) return undefined
  try {
    const program = RE2JS.compile(asRe2(source))
    const size = program.programSize()
    return size <= PROGRAM_MAX ? { program, size } : undefined
  } catch {
    return undefined
  }
}

/** What ECMAScript writes otherwise than RE2, or means otherwise. */
const asRe2 = (source: string): string =>
  source.replace(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|c([A-Za-z])|([\s\S]))|(\[\^?\])/g,
    (whole, braced?: string, four?: string, control?: string, other?: string, empty?: string) => {
      if (empty !== undefined) return empty === '[]' ? '[^\\x{0}-\\x{10FFFF}]' : '[\\x{0}-\\x{10FFFF}]'
      if (braced ?? four) return `\\x{${braced ?? four}}`
      if (control) return `\\x{${(control.charCodeAt(0) & 31).toString(16)}}`
      if (other === '/' || other === '-') return other === '-' ? '\\-' : '/'
      // These are names of something else there.
      if (other !== undefined && /[AzCQEZG]/.test(other)) throw new SyntaxError('means something else')
      return whole
    },
  )

/** The patterns of one table, each compiled when it is first asked. */
export class Patterns {
  readonly #known = new Map<string, Pattern | undefined>()
  #size = 0

  /**
   * Whether a text has a match; undefined where the pattern cannot be judged by. `spend` is told first how many steps that takes.
   */
  test(source: string, text: string, spend: (steps: number) => void): boolean | undefined {
    const pattern = this.#pattern(source)
    if (!pattern) return undefined
    spend(1 + Math.ceil((text.length * pattern.size) / WORK_PER_STEP))
    return pattern.program.matcher(text).find()
  }

  /** Whether a pattern can be judged by, beside those that were asked for before. */
  isUsable(source: string): boolean {
    return this.#pattern(source) !== undefined
  }

  #pattern(source: string): Pattern | undefined {
    const known = this.#known.get(source)
    if (known || this.#known.has(source)) return known
    const compiled = compilePattern(source)
    const pattern = compiled && this.#size + compiled.size <= PROGRAMS_MAX ? compiled : undefined
    this.#size += pattern?.size ?? 0
    this.#known.set(source, pattern)
    return pattern
  }
}
