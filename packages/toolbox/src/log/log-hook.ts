import type { Repetitions } from './repetitions.ts'

/** pino's numbers: what is below a warning is no complaint. */
const WARN_LEVEL = 40

/**
 * A hook of pino (`hooks.logMethod`) by which the same warning or error is logged once an interval, with `repeated` where it came more
 * often than once. Two are the same where their level, their words, and the kind and words of their error are.
 */
export const createLogHook = (repetitions: Repetitions) =>
  function logMethod<Words extends unknown[]>(
    this: unknown,
    words: Words,
    method: (...words: Words) => void,
    level: number,
  ): void {
    // What is counted is said in the same words, with a field more.
    const say = (count: number): void =>
      method.apply(this, count === 1 ? words : (withCount(words, count) as Words))
    if (level < WARN_LEVEL) say(1)
    else repetitions.note(`${level} ${describe(words)}`, say)
  }

function describe(words: readonly unknown[]): string {
  const [first] = words
  const texts = words.filter((word) => typeof word === 'string')
  const error = first instanceof Error ? first : hasError(first) ? first.err : undefined
  const isKnown = error instanceof Error
  return [...texts, ...(isKnown ? [error.name, 'code' in error ? error.code : '', error.message] : [])].join(
    ' ',
  )
}

const hasError = (word: unknown): word is { readonly err: unknown } =>
  typeof word === 'object' && word !== null && 'err' in word

function withCount([first, ...rest]: readonly unknown[], repeated: number): unknown[] {
  if (first instanceof Error) return [{ err: first, repeated }, ...(rest.length > 0 ? rest : [first.message])]
  if (typeof first === 'object') return [{ ...first, repeated }, ...rest]
  return [{ repeated }, first, ...rest]
}
