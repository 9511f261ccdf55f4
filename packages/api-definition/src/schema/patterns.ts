/**
 * Patterns of schemas, matched in time linear in the text by RE2. A schema's patterns are written for ECMAScript; what RE2 does not
 * have (looking around, referring back), or would make too large a program of, is not judged by.
 */
import { RE2JS } from 're2js'

const PATTERN_CHARS_MAX = 1_000
const PROGRAM_MAX = 2_000
/** Instructions times characters that are one step of the budget. */
const WORK_PER_STEP = 64

interface Pattern {
  readonly program: RE2JS
  readonly size: number
}

/** Whether a pattern can be judged by. */
export const isUsablePattern = (source: string): boolean => compilePattern(source) !== undefined

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

  /**
   * Whether a text has a match; undefined where the pattern cannot be judged by. `spend` is told first how many steps that takes.
   */
  test(source: string, text: string, spend: (steps: number) => void): boolean | undefined {
    let pattern = this.#known.get(source)
    if (!this.#known.has(source)) {
      pattern = compilePattern(source)
      this.#known.set(source, pattern)
    }
    if (!pattern) return undefined
    spend(1 + Math.ceil((text.length * pattern.size) / WORK_PER_STEP))
    return pattern.program.matcher(text).find()
  }
}
