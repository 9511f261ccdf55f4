/**
 * Finds rules that are on without the table of their documents, and compiles it. That happens where the version before changes a document,
 * which knows nothing of rules, and where a backup was restored in part. One that cannot be compiled stays as it is, and is told of.
 */
import { repeat } from '@sallyport/toolbox'
import { type Database, newId } from '../../../database/database.ts'
import { ProblemError } from '../../../errors.ts'
import { lockSite, siteChange } from '../store.ts'
import { keepDocuments, prepareAgain } from './keep-rule.ts'
import type { RuleCompiler } from './rule-compiler.ts'
import * as store from './store.ts'

export interface RuleHealingOptions {
  readonly database: Database
  readonly ruleCompiler: Pick<RuleCompiler, 'compile'>
  readonly failed: (error: unknown) => void
  /** Between looks. */
  readonly lookMs?: number
}

export interface RuleHealing {
  /** Compiles what there is to compile now. */
  look(): Promise<void>
  close(): Promise<void>
}

const LOOK_MS = 2 * 60_000
const ACTOR = { kind: 'system', id: 'api-definition', email: 'api-definition' } as const

/** Looks until it is closed. */
export function startRuleHealing(options: RuleHealingOptions): RuleHealing {
  const { database, failed, lookMs = LOOK_MS } = options
  const closing = new AbortController()
  /** By site, of which documents no rule could be made: it is tried again once these are others. */
  const hopeless = new Map<string, string>()
  const look = async (): Promise<void> => {
    for (const site of await database.readInstallation(store.listStaleRules)) {
      if (closing.signal.aborted) return
      if (hopeless.get(site.id) === site.source) continue
      await heal(options, site).catch((error: unknown) => {
        // The compiler ends while it is asked.
        if (closing.signal.aborted) return
        if (error instanceof ProblemError && error.code === 'validation_failed')
          hopeless.set(site.id, site.source)
        failed(error)
      })
    }
  }
  const running = repeat(look, lookMs, failed, closing.signal)
  return {
    look,
    close: () => {
      closing.abort()
      return running
    },
  }
}

async function heal(deps: RuleHealingOptions, { orgId, id }: store.StaleRule): Promise<void> {
  const prepared = await prepareAgain(deps, orgId, id)
  if (!prepared) return
  await deps.database.change({ orgId, actor: ACTOR, requestId: newId() }, async (tx) => {
    // Somebody else may have changed or removed it meanwhile; then this fails, and what is stale still is found by the next look.
    if (!(await lockSite(tx, orgId, id))) return
    const table = await store.findRuleTable(tx, orgId, id)
    // Another control plane was first.
    if (table?.source === prepared.source || !(await keepDocuments(tx, orgId, id, prepared))) return
    const { operations } = prepared
    tx.record({ action: 'site.compileDefinition', ...siteChange(id), before: null, after: { operations } })
  })
}
