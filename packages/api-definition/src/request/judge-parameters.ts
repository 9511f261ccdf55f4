/** Judges the parameters of a request by those that its operation declares. */
import { NotJudgedError } from '../schema/judge-value.ts'
import { SentText } from '../schema/values.ts'
import type { TableOperation, TableParameter } from '../table.ts'
import { foldedName, type SentPair } from './pairs.ts'
import type { Shape } from './parameter-shapes.ts'
import { deepObjectOf, MalformedValueError, sentValue } from './parameter-values.ts'
import type { RequestJudging } from './request-judging.ts'
import type { SentPairs, SentParameters } from './sent-parameters.ts'

/** Adds what is not as the operation declares it. */
export function judgeParameters(
  judging: RequestJudging,
  operation: TableOperation,
  sent: SentParameters,
): void {
  const known = new Set<SentPair>()
  try {
    judgeEach(judging, operation, sent, known)
  } catch (error) {
    if (!(error instanceof NotJudgedError)) throw error
    judging.noteUnchecked()
    return
  }
  if (!judging.judgesUndeclared) return
  for (const pair of sent.query.all)
    if (!known.has(pair) && !judging.isCredential(pair.name))
      judging.add('undeclared_parameter', 'query', pair.name, pair.value, 'is not declared')
}

/** Judges the values in a path as another way to read it has them. */
export function judgePathValues(
  judging: RequestJudging,
  operation: TableOperation,
  values: ReadonlyMap<string, string>,
): void {
  for (const parameter of operation.parameters)
    if (parameter.in === 'path') judgeOne(judging, parameter, values.get(parameter.name))
}

/** The pairs that came in one place, the operation that they are judged by, and those that it knows so far. */
interface JudgedPlace {
  readonly operation: TableOperation
  readonly sent: SentPairs
  readonly known: Set<SentPair>
}

function judgeEach(
  judging: RequestJudging,
  operation: TableOperation,
  sent: SentParameters,
  known: Set<SentPair>,
): void {
  const query = { operation, sent: sent.query, known }
  const cookies = { operation, sent: sent.cookies, known }
  for (const parameter of operation.parameters)
    if (parameter.in === 'path') judgeOne(judging, parameter, sent.path.get(parameter.name))
    else if (parameter.in === 'header') judgeOne(judging, parameter, sent.headers.get(parameter.name))
    else judgePairs(judging, parameter, parameter.in === 'query' ? query : cookies)
}

/** One whose text is in one piece. */
function judgeOne(judging: RequestJudging, parameter: TableParameter, text: string | undefined): void {
  if (text === undefined) {
    missing(judging, parameter)
    return
  }
  judgeAs(judging, parameter, text, () =>
    judging.shapes(parameter).map((shape) => () => sentValue(parameter, text, shape)),
  )
}

function missing(judging: RequestJudging, parameter: TableParameter): void {
  if (parameter.required) judging.add('parameter_missing', parameter.in, parameter.name, '', 'is missing')
}

/** One of the query or a cookie, which may come in several pairs, under names that some origins take for its own. */
function judgePairs(judging: RequestJudging, parameter: TableParameter, place: JudgedPlace): void {
  const { operation, sent, known } = place
  const shapes = judging.shapes(parameter)
  const { style, explode } = parameter
  if (shapes.includes('object') && style === 'form' && explode) {
    judgeSpread(judging, parameter, place)
    return
  }
  const near = sent.near(parameter.name)
  judging.spend(near.length >> PAIRS_PER_STEP_BITS)
  const pairs = near.filter(({ name }) => isOf(judging, name, parameter, operation))
  for (const pair of pairs) known.add(pair)
  const [first] = pairs
  if (!first) {
    missing(judging, parameter)
    return
  }
  if (parameter.in === 'cookie' && pairs.length > 1 && !shapes.includes('list')) {
    // Browsers send one for each path that it was set for. Whichever counts, it is as declared.
    for (const pair of pairs)
      judgeAs(judging, parameter, pair.value, () => oneCookie(parameter, pair, shapes))
    return
  }
  const excerpt = pairs.map(({ value }) => value).join(', ')
  if (parameter.mayBeEmpty && pairs.every(({ value }) => value === '')) return
  judgeAs(judging, parameter, excerpt, () => {
    if (style === 'deepObject') return [() => deepObjectOf(parameter.name, pairs)]
    if (pairs.some(({ name }) => !isPlainName(name, parameter))) return [nameOfObject]
    return shapes.flatMap((shape) => {
      if (shape === 'list' && explode) return [() => pairs.map(({ value }) => new SentText(value))]
      // Some origins take the first of several, some the last.
      return pairs.length > 1 ? [repeated] : [() => sentValue(parameter, first.value, shape)]
    })
  })
}

/** How many pairs are looked at for one step, as a power of two. */
const PAIRS_PER_STEP_BITS = 3

const oneCookie = (parameter: TableParameter, { name, value }: SentPair, shapes: readonly Shape[]) =>
  isPlainName(name, parameter)
    ? shapes.map((shape) => () => sentValue(parameter, value, shape))
    : [nameOfObject]

const repeated = (): never => {
  throw new MalformedValueError('is sent more than once')
}
const nameOfObject = (): never => {
  throw new MalformedValueError('is sent as a member of an object or list')
}

/** `id`, and of a list `id[]`, which is how some frameworks write one. */
const isPlainName = (name: string, parameter: TableParameter): boolean => {
  const own = foldedName(parameter.name)
  const folded = foldedName(name)
  return folded === own || (folded === `${own}[]` && parameter.explode)
}

/** Whether a name is a parameter's: as declared, or as some origins read it, where it is not declared to be another's. */
function isOf(
  judging: RequestJudging,
  name: string,
  parameter: TableParameter,
  operation: TableOperation,
): boolean {
  if (name === parameter.name) return true
  const own = foldedName(parameter.name)
  const folded = foldedName(name)
  if (folded !== own && !(folded.startsWith(own) && folded[own.length] === '[')) return false
  return !judging.declares(operation, parameter.in, name)
}

/** An object whose members are sent as parameters of their own. */
function judgeSpread(
  judging: RequestJudging,
  parameter: TableParameter,
  { operation, sent, known }: JudgedPlace,
): void {
  const { names, isOpen } = judging.members(parameter)
  judging.spend(sent.all.length >> PAIRS_PER_STEP_BITS)
  const pairs = sent.all.filter(
    ({ name }) =>
      names.has(name) || (isOpen && names.size === 0 && !judging.declares(operation, parameter.in, name)),
  )
  for (const pair of pairs) known.add(pair)
  if (pairs.length === 0) {
    missing(judging, parameter)
    return
  }
  const members = new Map<string, unknown>()
  for (const { name, value } of pairs) {
    const before = members.get(name)
    if (Array.isArray(before)) before.push(new SentText(value))
    else members.set(name, before === undefined ? new SentText(value) : [before, new SentText(value)])
  }
  judgeAs(judging, parameter, pairs.map(({ value }) => value).join(', '), () => [
    () => Object.fromEntries(members),
  ])
}

/** Judges the ways to read a value; it is as declared where one of them is. */
function judgeAs(
  judging: RequestJudging,
  parameter: TableParameter,
  sent: string,
  readings: () => readonly (() => unknown)[],
): void {
  let message: string | undefined
  for (const read of readings()) {
    try {
      const breach = judging.judgeValue(parameter.schema, read())
      if (!breach) return
      message ??= breach.at === '' ? breach.message : `${breach.at} ${breach.message}`
    } catch (error) {
      if (error instanceof NotJudgedError) {
        judging.noteUnchecked()
        return
      }
      if (!(error instanceof MalformedValueError)) throw error
      message ??= error.message
    }
  }
  judging.add(
    'parameter_type',
    parameter.in,
    parameter.name,
    sent,
    message ?? 'is not as declared',
    judging.isNarrow(parameter),
  )
}
