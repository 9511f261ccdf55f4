/** What the record says of a check: the maps of its sites, added up over what it is tied to. Pure. */
import {
  type Check,
  type CheckVerdict,
  type CoverageMap,
  type CoveredOperation,
  furthest,
  isRefusedByGate,
  type ProjectCheck,
  tiedKey,
  VERDICT_WORDS,
  type VerdictWord,
} from '@sallyport/contract'

/** What of the map of a site is read. */
export type SiteMap = Pick<CoverageMap, 'classes' | 'operations' | 'isPartial'>

/** A site as it is called, with its map. A site that was removed is in none, and one whose map cannot be read now has none. */
export interface CoveredSites {
  readonly names: ReadonlyMap<string, string>
  readonly maps: ReadonlyMap<string, SiteMap>
}

const HACKERS_MAX = 100

/** What a check is tied to, and whether that is there. */
export const presentTies = ({ ties }: Check, { names, maps }: CoveredSites): ProjectCheck['ties'] =>
  ties.map((tie) => {
    const gatedName = names.get(tie.siteId)
    const status = gatedName === undefined ? 'site_removed' : statusOf(tie, maps.get(tie.siteId))
    return { ...tie, gatedName: gatedName ?? '', status }
  })

type Tie = Check['ties'][number]

function statusOf(tie: Tie, map: SiteMap | undefined) {
  if (tie.template === undefined) return 'in_force'
  if (map === undefined) return 'unknown'
  return operationsOf(tie, map).length > 0 ? 'in_force' : 'vanished'
}

const operationsOf = ({ method, template }: Tie, map: SiteMap): readonly CoveredOperation[] =>
  method === undefined || template === undefined
    ? map.operations
    : (byTiedKey(map).get(tiedKey({ method, template })) ?? [])

/** The operations of a map by what a tie to them has in common with them: two thousand ties may look among ten thousand operations. */
const indexes = new WeakMap<SiteMap, ReadonlyMap<string, readonly CoveredOperation[]>>()

function byTiedKey(map: SiteMap): ReadonlyMap<string, readonly CoveredOperation[]> {
  const known = indexes.get(map)
  if (known !== undefined) return known
  const index = Map.groupBy(map.operations, tiedKey)
  indexes.set(map, index)
  return index
}

/** Null where it is tied to nothing, and where a site that it is tied to cannot be asked now: half of what is known is no verdict. */
export function verdictOfCheck(check: Check, { names, maps }: CoveredSites): CheckVerdict | null {
  if (check.ties.length === 0) return null
  if (check.ties.some(({ siteId }) => names.has(siteId) && !maps.has(siteId))) return null
  // Two ties may name one operation: a whole site, and one of it.
  const operations = new Set<CoveredOperation>()
  const read = new Set<SiteMap>()
  for (const tie of check.ties) {
    const map = maps.get(tie.siteId)
    if (map === undefined) continue
    read.add(map)
    for (const operation of operationsOf(tie, map)) operations.add(operation)
  }
  return added(
    [...operations],
    classesOf(check, read),
    [...read].some((map) => map.isPartial),
  )
}

/** The classes that were ordered; where none is named, all that there are. */
const classesOf = ({ attackClasses }: Check, maps: Iterable<SiteMap>): ReadonlySet<string> =>
  attackClasses.length > 0
    ? new Set(attackClasses)
    : new Set([...maps].flatMap(({ classes }) => classes.map((one) => one.class)))

function added(
  operations: readonly CoveredOperation[],
  classes: ReadonlySet<string>,
  isPartial: boolean,
): CheckVerdict {
  const cellsOf = (operation: CoveredOperation) => operation.cells.filter((cell) => classes.has(cell.class))
  const cells = operations.flatMap(cellsOf)
  const verdicts: Partial<Record<VerdictWord, number>> = {}
  for (const cell of cells)
    for (const word of VERDICT_WORDS) {
      const count = cell.verdicts[word] ?? 0
      if (count > 0) verdicts[word] = (verdicts[word] ?? 0) + count
    }
  const tried = new Set(cells.map((cell) => cell.class))
  const sumOf = (isCounted: (word: VerdictWord) => boolean): number =>
    VERDICT_WORDS.filter(isCounted).reduce((sum, word) => sum + (verdicts[word] ?? 0), 0)
  return {
    operations: operations.length,
    untested: operations.filter((operation) => cellsOf(operation).length === 0).length,
    requests: operations.reduce((sum, { requests }) => sum + requests, 0),
    attempts: sumOf(() => true),
    reachedOrigin: sumOf((word) => !isRefusedByGate(word) && word !== 'unanswered'),
    refusedByGate: sumOf(isRefusedByGate),
    verdicts,
    verdict: furthest(cells.map(({ verdict }) => verdict)) ?? null,
    hackers: [...new Set(cells.flatMap(({ hackers }) => hackers))].sort().slice(0, HACKERS_MAX),
    untried: [...classes].filter((name) => !tried.has(name)),
    lastSeen: cells.map(({ lastSeen }) => lastSeen).reduce(later, null),
    isPartial,
  }
}

const later = (left: string | null, right: string): string => (left === null || left < right ? right : left)
