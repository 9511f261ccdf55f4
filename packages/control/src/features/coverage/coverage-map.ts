/** The coverage of a site, added up from its record: pure, so that what it says can be compared cell by cell with what was sent. */
import {
  ATTACK_CLASS_NAMES,
  attackNames,
  attackWords,
  type CoverageCell,
  type CoverageMap,
  type CoverageParameter,
  type CoveredOperation,
  furthest,
  isRefusedByGate,
  type UntestedWord,
} from '@sallyport/contract'
import type {
  Recorded,
  RecordedCoverage,
  RecordedMap,
  RecordedParameter,
} from '../../traffic-store/rows/recorded-coverage.ts'
import { AttemptTally } from './attempt-tally.ts'
import type { DefinedOperation } from './defined-operation.ts'
import { knownTemplates, operationKey } from './known-templates.ts'
import { distinctParameters, type PlacedParameter, placeParameter } from './place-parameter.ts'

/** All of a map but what the request for it said. */
export type CoverageCounts = Omit<CoverageMap, 'gte' | 'lte' | 'bounds'>

const OTHER_METHODS_MAX = 500
const OTHER_CLASSES_MAX = 20
const UNDEFINED_PARAMETERS_MAX = 50

/** What was counted of one operation. */
interface Counted {
  readonly all: AttemptTally
  uninspected: number
  readonly byClass: Map<string, AttemptTally>
  /** By place and name, and within them by class. */
  readonly byParameter: Map<
    string,
    { readonly parameter: PlacedParameter; readonly byClass: Map<string, AttemptTally> }
  >
}

export function coverageMap(
  defined: readonly DefinedOperation[],
  recorded: RecordedMap,
  attempts?: Recorded<RecordedParameter>,
): CoverageCounts {
  const known = knownTemplates(defined)
  const counted = new Map(
    known.operations.map((operation) => [
      operationKey(operation.method, operation.template),
      { operation, placed: distinctParameters(operation.parameters), ...emptyCounted() },
    ]),
  )
  const otherMethods = new Map<string, { method: string; template: string; tally: AttemptTally }>()
  const elsewhere = { ...recorded.others }
  for (const row of recorded.rows) {
    const template = known.templateOf(row.route)
    const found = template === undefined ? undefined : counted.get(operationKey(row.method, template))
    if (found) {
      tallyOf(found, row).addAll(row)
      if (row.level === 'request') found.uninspected += row.uninspected
    } else if (row.level === 'class') elsewhere.attempts += totalOf(row)
    else if (template === undefined) elsewhere.requests += totalOf(row)
    else
      getOrAdd(otherMethods, operationKey(row.method, template), () => ({
        method: row.method,
        template,
        tally: new AttemptTally(),
      })).tally.addAll(row)
  }
  for (const row of attempts?.rows ?? []) {
    const found = counted.get(operationKey(row.method, known.templateOf(row.route) ?? ''))
    if (found) addToParameter(found, found.placed, row)
  }
  const operations = [...counted.values()].map(({ operation, placed, ...counts }) =>
    coveredOperation(operation, counts, attempts && placed),
  )
  const { classes, hasMore } = classesOf(operations)
  return {
    classes,
    operations,
    otherMethods: [...otherMethods.values()]
      .sort((left, right) => right.tally.count - left.tally.count)
      .slice(0, OTHER_METHODS_MAX)
      .map(({ method, template, tally }) => ({
        method,
        template,
        requests: tally.count,
        verdicts: tally.verdicts,
        hackers: tally.hackers,
      })),
    elsewhere,
    summary: summaryOf(operations, classes.length),
    isPartial:
      recorded.isPartial || attempts?.isPartial === true || hasMore || otherMethods.size > OTHER_METHODS_MAX,
  }
}

const emptyCounted = (): Counted => ({
  all: new AttemptTally(),
  uninspected: 0,
  byClass: new Map(),
  byParameter: new Map(),
})

const tallyOf = (counted: Counted, row: RecordedCoverage): AttemptTally =>
  row.level === 'request' ? counted.all : getOrAdd(counted.byClass, row.class, () => new AttemptTally())

const totalOf = ({ verdicts }: RecordedCoverage): number => verdicts.reduce((sum, count) => sum + count, 0)

function addToParameter(counted: Counted, placed: readonly PlacedParameter[], row: RecordedParameter): void {
  const parameter = placeParameter(placed, row.part, row.parameter)
  if (parameter === undefined) return
  const { byClass } = getOrAdd(counted.byParameter, keyOf(parameter), () => ({
    parameter,
    byClass: new Map<string, AttemptTally>(),
  }))
  getOrAdd(byClass, row.class, () => new AttemptTally()).addAll(row)
}

function coveredOperation(
  { method, template, source }: DefinedOperation,
  { all, uninspected, byClass, byParameter }: Counted,
  placed: readonly PlacedParameter[] | undefined,
): CoveredOperation {
  const cells = cellsOf(byClass)
  return {
    method,
    template,
    source,
    requests: all.count,
    verdicts: all.verdicts,
    uninspected,
    hackers: all.hackers,
    lastSeen: all.count > 0 ? all.lastSeen : null,
    verdict: furthest(cells.map(({ verdict }) => verdict)) ?? null,
    untested: cells.length > 0 ? null : untestedOf(all, uninspected),
    cells,
    ...(placed && { parameters: parametersOf(placed, byParameter) }),
  }
}

/** Why no class was tried, of the requests that there were. */
function untestedOf(all: AttemptTally, uninspected: number): UntestedWord {
  if (all.count === 0 || !isRefusedByGate(all.verdict)) return 'untried'
  return uninspected === all.count ? 'refused_before_inspection' : 'refused'
}

/** The parameters of the definition, tried or not, and then those that only requests had. */
function parametersOf(
  placed: readonly PlacedParameter[],
  byParameter: Counted['byParameter'],
): CoverageParameter[] {
  const defined = placed.map((parameter) => ({
    ...parameter,
    cells: cellsOf(byParameter.get(keyOf(parameter))?.byClass ?? new Map()),
  }))
  const others = [...byParameter.values()]
    .filter(({ parameter }) => !parameter.isDefined)
    .map(({ parameter, byClass }) => ({ ...parameter, cells: cellsOf(byClass) }))
    .sort((left, right) => attemptsIn(right.cells) - attemptsIn(left.cells))
  return [...defined, ...others.slice(0, UNDEFINED_PARAMETERS_MAX)]
}

const keyOf = ({ place, name }: PlacedParameter): string => `${place} ${name}`

const attemptsIn = (cells: readonly CoverageCell[]): number =>
  cells.reduce((sum, { attempts }) => sum + attempts, 0)

const cellsOf = (byClass: ReadonlyMap<string, AttemptTally>): CoverageCell[] =>
  [...byClass].sort(byName).map(([name, tally]) => ({
    class: name,
    verdict: tally.verdict,
    attempts: tally.count,
    verdicts: tally.verdicts,
    hackers: tally.hackers,
    ...(tally.hackerCount !== undefined && { hackerCount: tally.hackerCount }),
    firstSeen: tally.firstSeen,
    lastSeen: tally.lastSeen,
  }))

const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : 1

/** The classes of our table, and then those that only rules of somebody's own name. */
function classesOf(operations: readonly CoveredOperation[]) {
  const recorded = new Set(operations.flatMap(({ cells }) => cells.map((cell) => cell.class)))
  const others = [...recorded.difference(new Set<string>(ATTACK_CLASS_NAMES))].sort()
  const names = [...ATTACK_CLASS_NAMES, ...others.slice(0, OTHER_CLASSES_MAX)]
  return {
    classes: names.map((name) => {
      const { owaspApi, wstg, cwe } = attackNames(name)
      return {
        class: name,
        words: attackWords(name),
        owaspApi: [...owaspApi],
        wstg: [...wstg],
        cwe: [...cwe],
      }
    }),
    hasMore: others.length > OTHER_CLASSES_MAX,
  }
}

function summaryOf(operations: readonly CoveredOperation[], classes: number): CoverageMap['summary'] {
  const cells = operations.flatMap((operation) => operation.cells)
  return {
    operations: operations.length,
    untested: operations.filter(({ verdict }) => verdict === null).length,
    untestedRefused: operations.filter(({ untested }) => untested !== null && untested !== 'untried').length,
    refusedByGate: operations.filter(({ verdict }) => verdict !== null && isRefusedByGate(verdict)).length,
    serverErrors: cells.filter(({ verdict }) => verdict === 'server_error').length,
    cells: operations.length * classes,
    triedCells: cells.length,
    refusedCells: cells.filter(({ verdict }) => isRefusedByGate(verdict)).length,
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
