/** The crossing matrix: which objects several researchers reached, each under their own account at the gate. */
import { type CoverageCrossings, OBJECT_ACCESS_NAMES } from '@sallyport/contract'
import type { Recorded, RecordedCrossing } from '../../traffic-store/rows/recorded-coverage.ts'
import type { DefinedOperation } from './defined-operation.ts'
import { knownTemplates, operationKey } from './known-templates.ts'

const SAMPLES_MAX = 10
const PAIRS_MAX = 1_000

type Crossings = Omit<CoverageCrossings, 'gte' | 'lte'>

/** Of paths that are no object, because their template has no parameter, nothing is said. */
export function crossingsOf(
  defined: readonly DefinedOperation[],
  { rows, isPartial }: Recorded<RecordedCrossing>,
): Crossings {
  const { templateOf } = knownTemplates(defined)
  const objects = rows.flatMap((row) => {
    const template = templateOf(row.route)
    return template?.includes('{') ? [{ ...row, template }] : []
  })
  const byOperation = Map.groupBy(objects, ({ method, template }) => operationKey(method, template))
  const operations = [...byOperation.values()].flatMap((crossed) => {
    const [first] = crossed
    if (first === undefined) return []
    const { method, template } = first
    return [
      { method, template, objects: crossed.length, samples: crossed.slice(0, SAMPLES_MAX).map(sampleOf) },
    ]
  })
  const pairs = pairsOf(objects)
  const { owaspApi, wstg, cwe } = OBJECT_ACCESS_NAMES
  return {
    names: { owaspApi: [...owaspApi], wstg: [...wstg], cwe: [...cwe] },
    pairs: pairs.slice(0, PAIRS_MAX),
    operations: operations.sort((left, right) => right.objects - left.objects),
    isPartial: isPartial || pairs.length > PAIRS_MAX,
  }
}

const sampleOf = ({ path, researchers, requests, last_ms }: RecordedCrossing) => ({
  path,
  hackers: [...researchers],
  requests,
  lastSeen: new Date(last_ms).toISOString(),
})

/** How many objects both of two researchers reached, the most first. */
function pairsOf(objects: readonly RecordedCrossing[]): Crossings['pairs'] {
  const counts = new Map<string, { readonly hackers: string[]; objects: number }>()
  for (const { researchers } of objects)
    for (const [index, first] of researchers.entries())
      for (const second of researchers.slice(index + 1)) {
        const key = `${first} ${second}`
        const known = counts.get(key)
        if (known) known.objects += 1
        else counts.set(key, { hackers: [first, second], objects: 1 })
      }
  return [...counts.values()].sort((left, right) => right.objects - left.objects)
}
