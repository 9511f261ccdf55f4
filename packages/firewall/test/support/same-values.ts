/** Values to compare two ways of judging by: corpora, ordinary traffic, words of rules; as they are, mutated, and noise. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { maintainedRules, ownRules } from '../../src/index.ts'
import { parseExpression } from '../../src/prefilter/expressions/expression.ts'
import { benignRequests } from './benign.ts'
import { exampleOf } from './expression-examples.ts'

const folder = process.env.SALLYPORT_CORPORA ?? resolve(import.meta.dirname, '../../../../../shared/corpora')
const CHARS_MAX = 600
const SIGNS = [...'\'"`;|&$(){}[]<>=/\\.-_:,%#*!?@~^+ \t\n\r\0aZ09éſK–Ａ']

type Random = (max: number) => number

/** `count` values, the same ones for the same numbers. */
export function* sameValues(count: number, random: Random): Generator<string, undefined> {
  const seeds = [...corpusValues(), ...ordinaryValues()].map((text) => text.slice(0, CHARS_MAX))
  const expressions = [...maintainedRules().rules, ...ownRules().rules].flatMap(({ conditions }) =>
    conditions.flatMap(({ parameters: { regex } }) => (regex === undefined ? [] : [parseExpression(regex)])),
  )
  const seed = (): string => seeds[random(seeds.length)] ?? ''
  const sign = (): string => SIGNS[random(SIGNS.length)] ?? ''
  const example = (): string => {
    const expression = expressions[random(expressions.length)]
    return expression ? exampleOf(expression, random).slice(0, CHARS_MAX) : ''
  }
  const kinds = [
    seed,
    () => mutated(seed(), random, sign),
    example,
    () => mutated(example(), random, sign),
    () => `${seed().slice(0, random(40))}${sign()}${example()}${sign()}`,
    () => Array.from({ length: random(30) }, sign).join(''),
  ]
  for (let index = 0; index < count; index++) yield kinds[index % kinds.length]?.() ?? ''
  return undefined
}

function mutated(text: string, random: Random, sign: () => string): string {
  let result = text
  for (let times = 1 + random(4); times > 0; times--) {
    const at = random(result.length + 1)
    const length = random(4)
    result = `${result.slice(0, at)}${random(3) === 0 ? '' : sign()}${result.slice(at + length)}`
  }
  return random(4) === 0 ? result.toUpperCase() : result
}

function corpusValues(): string[] {
  const lines = (name: string): string[] => {
    const file = join(folder, name)
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }
  const learned = lines('modsec-advlearn.ndjson').map((line): string => String(JSON.parse(line).value))
  const tested = lines('crs-regression.ndjson').flatMap((line): string[] => {
    const { uri, data = '', headers } = JSON.parse(line)
    return [uri, data, ...Object.values(headers)].map(String)
  })
  return [...learned, ...tested].flatMap((text) => [text, decodedForm(text)])
}

function decodedForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

const ordinaryValues = (): string[] =>
  benignRequests(200, 13).flatMap(({ head, body }) => [
    head.target,
    ...head.rawHeaders,
    body.toString('utf8'),
  ])
