/**
 * The compiled rules that requests are judged by: the default rules, and the rule sets of the snapshot. Prepared when a snapshot
 * brings other rule sets, which is seldom, while those before go on judging; then swapped by reference.
 */
import type { RuleSetConfig } from '@sallyport/contract'
import { type Engine, InvalidRuleSetError, parseRuleSet, type RuleSet } from '@sallyport/firewall'
import { backOffMs, pause } from '@sallyport/toolbox'
import type { Log } from '../../settings.ts'
import type { Snapshot, SnapshotSource } from '../../snapshot/snapshot.ts'

export interface RuleEngineParts {
  readonly snapshots: SnapshotSource
  /** Makes an engine of the default rules and of those that were imported. */
  readonly prepare: (imported: readonly RuleSet[]) => Promise<Engine>
  readonly log: Log
}

type RuleSetConfigs = ReadonlyMap<string, RuleSetConfig>

/** How long rule sets that could not be prepared are left alone. */
const RETRY = { minMs: 10_000, maxMs: 600_000 }

/** Follows the rule sets of snapshots. */
export class RuleEngines {
  readonly #parts: RuleEngineParts
  readonly #unsubscribe: () => void
  /** What requests are judged by, and the rule sets of which it is. */
  #current: Engine
  #inForce: RuleSetConfigs
  /** Those of the present snapshot. */
  #asked: RuleSetConfigs
  #isReady = false
  #isPreparing = false
  #isClosed = false
  #retry = new AbortController()

  private constructor(parts: RuleEngineParts, first: Engine, inForce: RuleSetConfigs) {
    this.#parts = parts
    this.#current = first
    this.#inForce = inForce
    this.#asked = inForce
    this.#unsubscribe = parts.snapshots.onSwap((snapshot) => this.#follow(snapshot))
    this.#follow(parts.snapshots.current)
  }

  /** Prepares the rules of the present snapshot, or the default rules where that fails; rejects where these fail, too. */
  static async start(parts: RuleEngineParts): Promise<RuleEngines> {
    const { ruleSets } = parts.snapshots.current
    const first = await prepared(parts, ruleSets)
    if (first) return new RuleEngines(parts, first, ruleSets)
    return new RuleEngines(parts, await parts.prepare([]), new Map())
  }

  get current(): Engine {
    return this.#current
  }

  /** False until the rule sets of the first snapshot were prepared, or could not be. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Stops following the snapshots. */
  close(): void {
    this.#isClosed = true
    this.#unsubscribe()
    this.#retry.abort()
  }

  #follow({ revision, ruleSets }: Snapshot): void {
    if (!haveSameRules(this.#asked, ruleSets)) {
      this.#asked = ruleSets
      this.#retry.abort()
      void this.#prepareAsked()
    }
    if (!this.#isPreparing && revision > 0) this.#isReady = true
  }

  /** Until the rule sets of the present snapshot are in force; of those that come meanwhile, the last ones. */
  async #prepareAsked(): Promise<void> {
    if (this.#isPreparing) return
    this.#isPreparing = true
    for (let failures = 0; !this.#isClosed && !haveSameRules(this.#inForce, this.#asked); ) {
      const asked = this.#asked
      const engine = await prepared(this.#parts, asked)
      this.#isReady = true
      if (engine) this.#setInForce(engine, asked)
      failures = engine || asked !== this.#asked ? 0 : failures + 1
      if (failures > 0) await this.#untilRetry(failures)
    }
    this.#isPreparing = false
  }

  #setInForce(engine: Engine, ruleSets: RuleSetConfigs): void {
    // The engine before it is freed with the last request that it judges.
    this.#current = engine
    this.#inForce = ruleSets
    const names = Array.from(ruleSets.values(), ({ name }) => `"${name}"`).join(', ')
    this.#parts.log('info', `the firewall judges by its own rules${names && ` and the rule sets ${names}`}`)
  }

  async #untilRetry(failures: number): Promise<void> {
    this.#retry = new AbortController()
    await pause(backOffMs(failures - 1, RETRY), this.#retry.signal)
  }
}

function haveSameRules(before: RuleSetConfigs, after: RuleSetConfigs): boolean {
  if (before.size !== after.size) return false
  for (const [id, { rules }] of after) if (before.get(id)?.rules !== rules) return false
  return true
}

/** Undefined where they cannot be prepared, with a line in the log. */
async function prepared(
  { prepare, log }: RuleEngineParts,
  configs: RuleSetConfigs,
): Promise<Engine | undefined> {
  const imported = [...configs.values()].flatMap((config) => readable(config, log))
  try {
    const engine = await prepare(imported)
    for (const [rule, reason] of engine.refused) log('warn', `firewall rule ${rule} is left out: ${reason}`)
    return engine
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    log('error', `the firewall's rules cannot be prepared, those before go on judging: ${reason}`)
    return undefined
  }
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
