/** Texts that an expression of the prefilter describes, made from its tree. */
import { type Expression, NOT_ASCII } from '../../src/prefilter/expressions/expression.ts'

/** One text; `random` gives a number from 0 to its argument, exclusive. */
export function exampleOf(expression: Expression, random: (max: number) => number): string {
  switch (expression.kind) {
    case 'letter': {
      const codes = [...expression.codes]
      const code = codes[random(codes.length)] ?? 0
      return code === NOT_ASCII ? '\u00e9' : String.fromCharCode(code)
    }
    case 'boundary':
    case 'start':
    case 'end':
      return ''
    case 'repeat': {
      const { of, min, max } = expression
      const times = min + random(Math.min(max - min, 2) + 1)
      return Array.from({ length: times }, () => exampleOf(of, random)).join('')
    }
    case 'sequence':
      return sequenceExample(expression.parts, random)
    case 'choice':
      return exampleOf(
        expression.options[random(expression.options.length)] ?? expression.options[0] ?? expression,
        random,
      )
  }
}

/** Where a word must end or begin, a blank or a letter sees to it. */
function sequenceExample(parts: readonly Expression[], random: (max: number) => number): string {
  let text = ''
  let atBoundary = false
  for (const part of parts) {
    if (part.kind === 'boundary') {
      atBoundary = true
      continue
    }
    const next = exampleOf(part, random)
    if (next === '') continue
    text += `${atBoundary ? between(text, next) : ''}${next}`
    atBoundary = false
  }
  return text
}

function between(before: string, after: string): string {
  const endsInWord = /\w$/.test(before)
  if (endsInWord !== /^\w/.test(after)) return ''
  return endsInWord ? ' ' : 'a'
}
