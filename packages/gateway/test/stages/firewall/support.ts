/** The real rule engines; their tables are kept for the other test files, and the default engine for the other tests of a file. */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine, RuleSet } from '@sallyport/firewall'
import type { SnapshotSource } from '../../../src/snapshot/snapshot.ts'
import { RuleEngines } from '../../../src/stages/firewall/rule-engines.ts'
import { createPreparation, DEFAULT_TABLES_FILE } from '../../../src/stages/firewall/table-file.ts'

const folder = resolve(import.meta.dirname, '../../../../../node_modules/.cache/sallyport')
mkdirSync(folder, { recursive: true })
const prepareAnew = createPreparation(folder, () => {})

let defaultEngine: Promise<Engine> | undefined

function prepare(imported: readonly RuleSet[]): Promise<Engine> {
  if (imported.length > 0) return prepareAnew(imported)
  defaultEngine ??= prepareAnew([])
  return defaultEngine
}

export const startTestRuleEngines = (snapshots: SnapshotSource): Promise<RuleEngines> =>
  RuleEngines.start({ snapshots, prepare, log: () => {} })

/** Puts the tables, where they were made before, into the folder of a gateway that is started whole: it would make them anew. */
export function copyDefaultTables(dataDir: string): void {
  const made = join(folder, DEFAULT_TABLES_FILE)
  if (existsSync(made)) copyFileSync(made, join(dataDir, DEFAULT_TABLES_FILE))
}

const IN_FORCE_MAX_MS = 60_000

/** Waits until requests are judged by a rule. */
export async function untilRuleInForce(engines: RuleEngines, ruleId: string): Promise<void> {
  const endsAt = performance.now() + IN_FORCE_MAX_MS
  while (!engines.current.rules.some(({ id }) => id === ruleId)) {
    if (performance.now() > endsAt) throw new Error(`the rule ${ruleId} did not come into force`)
    await sleep(10)
  }
}
