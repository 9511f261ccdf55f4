/**
 * The compiled rules that requests are judged by: the default rules, and the rule sets of the snapshot. Compiled when a
 * snapshot brings other rule sets, which is seldom, and swapped by reference; never on a request's path.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { RuleSetConfig } from '@sallyport/contract'
import {
  createEngine,
  type Engine,
  InvalidRuleSetError,
  maintainedRules,
  ownRules,
  parseRuleSet,
  type RuleSet,
} from '@sallyport/firewall'
import type { Log } from '../../settings.ts'
import type { Snapshot, SnapshotSource } from '../../snapshot/snapshot.ts'

export interface RuleEngines {
  readonly current: Engine
  /** Stops following the snapshots. */
  close(): void
}

/** The engine of an installation without imported rule sets: most of them. */
let defaultEngine: Engine | undefined

/** Compiles the rules of the present snapshot, and those of later ones as they come. */
export function createRuleEngines(snapshots: SnapshotSource, log: Log): RuleEngines {
  let ruleSets = snapshots.current.ruleSets
  let current = compile(ruleSets, log)
  const unsubscribe = snapshots.onSwap((snapshot: Snapshot) => {
    if (haveSameRules(ruleSets, snapshot.ruleSets)) return
    ruleSets = snapshot.ruleSets
    // The engine before it is freed with the last request that it judges.
    current = compile(ruleSets, log)
  })
  return {
    get current() {
      return current
    },
    close: unsubscribe,
  }
}

function haveSameRules(
  before: ReadonlyMap<string, RuleSetConfig>,
  after: ReadonlyMap<string, RuleSetConfig>,
): boolean {
  if (before.size !== after.size) return false
  for (const [id, { rules }] of after) if (before.get(id)?.rules !== rules) return false
  return true
}

function compile(configs: ReadonlyMap<string, RuleSetConfig>, log: Log): Engine {
  if (configs.size === 0) {
    defaultEngine ??= prepare([maintainedRules(), ownRules()])
    return defaultEngine
  }
  const imported = [...configs.values()].flatMap((config) => readable(config, log))
  const engine = prepare([maintainedRules(), ownRules(), ...imported])
  for (const [rule, reason] of engine.refused) log('warn', `firewall rule ${rule} is left out: ${reason}`)
  return engine
}

/**
 * Preparing rules leaves some 35 MB of garbage. V8 would keep the memory, and go through it later, while requests wait; so it is
 * collected and given back at once, in a tenth of the time that preparing takes. V8 shows its collector to contexts that are
 * made after this flag was set.
 */
function prepare(ruleSets: readonly RuleSet[]): Engine {
  const engine = createEngine(ruleSets)
  setFlagsFromString('--expose-gc')
  const collect: NodeJS.GCFunction = runInNewContext('gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return engine
}

/** A rule set that cannot be read must not take the others with it. */
function readable({ name, rules }: RuleSetConfig, log: Log): RuleSet[] {
  try {
    return [parseRuleSet(rules)]
  } catch (error) {
    if (!(error instanceof InvalidRuleSetError)) throw error
    log('error', `the rule set "${name}" is left out: ${error.message}`)
    return []
  }
}
