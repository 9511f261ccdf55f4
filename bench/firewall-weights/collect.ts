/** The evidence that rules give in samples, before anything is weighed. */
import { createEngine, maintainedRules, NO_WEIGHTS, ownRules, signNamesOf } from '@sallyport/firewall'
import { surroundingsOf } from '../../packages/firewall/src/scoring/signs.ts'
import type { FittedSet } from './model.ts'
import type { Sample } from './samples.ts'

/** A sample, and what was found in its values. */
export interface CollectedSample extends Omit<Sample, 'request'> {
  readonly sets: readonly FittedSet[]
}

const LIMITS = { timeMs: 5_000, bodyBytesMax: 192 * 1024 }

/** Inspects samples by the default rules, with time to spare. */
export async function collect(samples: AsyncIterable<Sample>): Promise<CollectedSample[]> {
  const engine = createEngine([maintainedRules(), ownRules()], NO_WEIGHTS)
  const collected: CollectedSample[] = []
  for await (const { request, ...sample } of samples) {
    const inspection = engine.inspect(request.head, LIMITS)
    await inspection.inspectBody({ bytes: request.body, complete: true })
    collected.push({ ...sample, sets: distinct(inspection.evidence().map(setOf)) })
  }
  engine.dispose()
  return collected
}

type Evidence = ReturnType<ReturnType<ReturnType<typeof createEngine>['inspect']>['evidence']>[number]

const setOf = ({ class: className, excerpts, signs }: Evidence): FittedSet => ({
  class: className,
  rules: Array.from(excerpts.keys(), ({ id }) => id).sort(),
  signs: signNamesOf(className, signs),
  surroundings: surroundingsOf(signs),
})

const distinct = (sets: readonly FittedSet[]): FittedSet[] => [
  ...new Map(sets.map((set) => [JSON.stringify(set), set])).values(),
]
