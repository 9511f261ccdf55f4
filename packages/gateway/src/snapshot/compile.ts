/**
 * Makes snapshots out of what the config feed says. An edit starts from the snapshot before it, takes the messages of one
 * transaction and becomes a new snapshot; the work is proportional to what the transaction says, and the memory to what it
 * changes.
 */
import type { RateLimitPolicy } from '@sallyport/contract'
import {
  feedPut,
  type InstallationConfig,
  namesOfResearcher,
  namesOfSite,
  type OrganizationConfig,
  type ResearcherConfig,
  type RuleSetConfig,
  type SiteConfig,
  type SnapshotKind,
} from '@sallyport/contract/words'
import { isWildcardHost, wildcardAbove } from '@sallyport/policy'
import { type GateAddress, gateAddressOf } from './gate-address.ts'
import { lineOf, type PutLine, parseJson } from './put-lines.ts'
import { type RecordKind, RecordTable, type RecordTableEdit } from './record-table.ts'
import type { AllocateBlock } from './row-blocks.ts'
import { compileSite, hostOfWildcard } from './sites/compile-site.ts'
import { type SiteBrief, siteBriefOf } from './sites/site-brief.ts'
import type { CompiledSite, Snapshot } from './snapshot.ts'

/** Everything a snapshot holds. There are few policies and rule sets, and many of the others. */
export interface Tables {
  readonly installation: InstallationConfig | undefined
  readonly organizations: RecordTable<OrganizationConfig, OrganizationConfig>
  readonly sites: RecordTable<SiteConfig, CompiledSite>
  readonly researchers: RecordTable<ResearcherConfig, ResearcherConfig>
  readonly policies: ReadonlyMap<string, RateLimitPolicy>
  readonly ruleSets: ReadonlyMap<string, RuleSetConfig>
}

const ORGANIZATIONS: RecordKind<OrganizationConfig, OrganizationConfig> = {
  kind: 'organization',
  namesOf: () => [],
  compile: (config) => config,
  configOf: (config) => config,
  compiledMax: 5_000,
}
const SITES: RecordKind<SiteConfig, CompiledSite> = {
  kind: 'site',
  namesOf: namesOfSite,
  compile: compileSite,
  configOf: ({ config }) => config,
  compiledMax: 2_000,
}
const RESEARCHERS: RecordKind<ResearcherConfig, ResearcherConfig> = {
  kind: 'researcher',
  namesOf: namesOfResearcher,
  compile: (config) => config,
  configOf: (config) => config,
  compiledMax: 10_000,
}

/** Of sites that have not changed since they were last looked through; all snapshots share it. */
const knownBriefs = new WeakMap<object, readonly SiteBrief[]>()

const noTables = (allocate?: AllocateBlock): Tables => ({
  installation: undefined,
  organizations: RecordTable.empty(ORGANIZATIONS, allocate),
  sites: RecordTable.empty(SITES, allocate),
  researchers: RecordTable.empty(RESEARCHERS, allocate),
  policies: new Map(),
  ruleSets: new Map(),
})

export class CompiledSnapshot implements Snapshot {
  readonly revision: number
  readonly gate: GateAddress | undefined
  readonly #tables: Tables

  constructor(revision: number, tables: Tables) {
    this.revision = revision
    this.gate = gateAddressOf(tables.installation?.gateUrl)
    this.#tables = tables
  }

  /** The snapshot of a gateway that has received nothing yet. All that follow it keep their rows in memory of `allocate`. */
  static empty(allocate?: AllocateBlock): CompiledSnapshot {
    return new CompiledSnapshot(0, noTables(allocate))
  }

  /** What a copy for another thread is made of. */
  get tables(): Tables {
    return this.#tables
  }

  get installation(): InstallationConfig | undefined {
    return this.#tables.installation
  }

  get ruleSets(): ReadonlyMap<string, RuleSetConfig> {
    return this.#tables.ruleSets
  }

  organization(id: string): OrganizationConfig | undefined {
    return this.#tables.organizations.get(id)
  }

  siteByHost(host: string): CompiledSite | undefined {
    const { sites } = this.#tables
    if (isWildcardHost(host)) return undefined
    const exact = sites.find(host)
    if (exact) return exact
    const wildcard = sites.find(wildcardAbove(host))
    return wildcard && hostOfWildcard(wildcard, host)
  }

  site(id: string): CompiledSite | undefined {
    return this.#tables.sites.get(id)
  }

  siteBriefs(): Iterable<readonly SiteBrief[]> {
    return this.#tables.sites.briefs(knownBriefs, siteBriefOf)
  }

  researcher(id: string): ResearcherConfig | undefined {
    return this.#tables.researchers.get(id)
  }

  researcherByKeyHash(hash: string): ResearcherConfig | undefined {
    return this.#tables.researchers.find(hash)
  }

  policy(name: string): RateLimitPolicy | undefined {
    return this.#tables.policies.get(name)
  }

  /** Begins a transaction on top of this snapshot. If it is `full`, nothing stays but what it puts. */
  edit(full: boolean): SnapshotEdit {
    return new SnapshotEdit(this.#tables, full)
  }

  /** The lines of the config feed that make this snapshot out of nothing, in pieces of a few kilobytes. */
  *lines(): Generator<Buffer> {
    const { installation, organizations, policies, ruleSets, researchers, sites } = this.#tables
    if (installation) yield lineOf(feedPut('installation', '', installation))
    yield* organizations.lines()
    for (const [id, value] of policies) yield lineOf(feedPut('policy', id, value))
    for (const [id, value] of ruleSets) yield lineOf(feedPut('ruleSet', id, value))
    yield* researchers.lines()
    yield* sites.lines()
  }
}

/** One transaction while it arrives. */
export class SnapshotEdit {
  #installation: InstallationConfig | undefined
  readonly #organizations: RecordTableEdit<OrganizationConfig, OrganizationConfig>
  readonly #sites: RecordTableEdit<SiteConfig, CompiledSite>
  readonly #researchers: RecordTableEdit<ResearcherConfig, ResearcherConfig>
  readonly #policies: Map<string, RateLimitPolicy>
  readonly #ruleSets: Map<string, RuleSetConfig>

  constructor(base: Tables, full: boolean) {
    this.#installation = full ? undefined : base.installation
    this.#organizations = base.organizations.edit(full)
    this.#sites = base.sites.edit(full)
    this.#researchers = base.researchers.edit(full)
    this.#policies = new Map(full ? [] : base.policies)
    this.#ruleSets = new Map(full ? [] : base.ruleSets)
  }

  /** Puts what a line says; throws where it must be read at once and cannot. What is new to this gateway is not its own. */
  put(put: PutLine): void {
    const { kind } = put
    if (kind === 'site') this.#sites.put(put)
    else if (kind === 'researcher') this.#researchers.put(put)
    else if (kind === 'organization') this.#organizations.put(put)
    else if (kind === 'policy') this.#policies.set(put.id, parseJson(put.json))
    else if (kind === 'ruleSet') this.#ruleSets.set(put.id, parseJson(put.json))
    else if (kind === 'installation') this.#installation = parseJson(put.json)
  }

  remove(kind: SnapshotKind, id: string): void {
    if (kind === 'site') this.#sites.remove(id)
    else if (kind === 'researcher') this.#researchers.remove(id)
    else if (kind === 'organization') this.#organizations.remove(id)
    else if (kind === 'policy') this.#policies.delete(id)
    else if (kind === 'ruleSet') this.#ruleSets.delete(id)
    else if (kind === 'installation') this.#installation = undefined
  }

  /** The part of `commit` that can be done in small steps. */
  *prepareCommit(): Generator<void> {
    yield* this.#organizations.prepareFinish()
    yield* this.#researchers.prepareFinish()
    yield* this.#sites.prepareFinish()
  }

  /** The new snapshot. The edit must not be used after it. */
  commit(revision: number): CompiledSnapshot {
    return new CompiledSnapshot(revision, {
      installation: this.#installation,
      organizations: this.#organizations.finish(),
      sites: this.#sites.finish(),
      researchers: this.#researchers.finish(),
      policies: this.#policies,
      ruleSets: this.#ruleSets,
    })
  }
}
