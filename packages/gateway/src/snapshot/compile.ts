/**
 * Makes snapshots out of what the config feed says. An edit starts from the snapshot before it (or from nothing), takes
 * the messages of one transaction and becomes a new snapshot; the work is proportional to what the transaction changed.
 */
import type {
  FeedPut,
  InstallationConfig,
  OrganizationConfig,
  RateLimitPolicy,
  ResearcherConfig,
  RuleSetConfig,
  SiteConfig,
  SnapshotKind,
} from '@sallyport/contract'
import { ShardedMap, type ShardedMapEdit } from './sharded-map.ts'
import type { CompiledSite, Snapshot, SnapshotChange } from './snapshot.ts'

/** Everything a snapshot holds, by every name that it is looked up by. */
interface Tables {
  readonly installation: InstallationConfig | undefined
  readonly organizations: ShardedMap<OrganizationConfig>
  readonly sites: ShardedMap<CompiledSite>
  readonly sitesByHost: ShardedMap<CompiledSite>
  readonly researchers: ShardedMap<ResearcherConfig>
  readonly researchersByKey: ShardedMap<ResearcherConfig>
  readonly researchersByInvitation: ShardedMap<ResearcherConfig>
  readonly policies: ReadonlyMap<string, RateLimitPolicy>
  readonly ruleSets: ReadonlyMap<string, RuleSetConfig>
}

const NO_TABLES: Tables = {
  installation: undefined,
  organizations: ShardedMap.empty(),
  sites: ShardedMap.empty(),
  sitesByHost: ShardedMap.empty(),
  researchers: ShardedMap.empty(),
  researchersByKey: ShardedMap.empty(),
  researchersByInvitation: ShardedMap.empty(),
  policies: new Map(),
  ruleSets: new Map(),
}

export class CompiledSnapshot implements Snapshot {
  readonly revision: number
  readonly #tables: Tables

  constructor(revision: number, tables: Tables) {
    this.revision = revision
    this.#tables = tables
  }

  static readonly empty = new CompiledSnapshot(0, NO_TABLES)

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
    return this.#tables.sitesByHost.get(host)
  }

  site(id: string): CompiledSite | undefined {
    return this.#tables.sites.get(id)
  }

  researcher(id: string): ResearcherConfig | undefined {
    return this.#tables.researchers.get(id)
  }

  researcherByKeyHash(hash: string): ResearcherConfig | undefined {
    return this.#tables.researchersByKey.get(hash)
  }

  researcherByInvitation(hash: string): ResearcherConfig | undefined {
    return this.#tables.researchersByInvitation.get(hash)
  }

  policy(name: string): RateLimitPolicy | undefined {
    return this.#tables.policies.get(name)
  }

  /** Begins a transaction: on top of this snapshot, or, if it is `full`, of nothing. */
  edit(full: boolean): SnapshotEdit {
    return new SnapshotEdit(full ? NO_TABLES : this.#tables, full)
  }

  /** The puts that make this snapshot out of nothing. */
  *items(): Generator<FeedPut> {
    const { installation, organizations, policies, ruleSets, researchers, sites } = this.#tables
    if (installation) yield { type: 'put', kind: 'installation', id: '', value: installation }
    for (const value of organizations.values())
      yield { type: 'put', kind: 'organization', id: value.id, value }
    for (const [id, value] of policies) yield { type: 'put', kind: 'policy', id, value }
    for (const [id, value] of ruleSets) yield { type: 'put', kind: 'ruleSet', id, value }
    for (const value of researchers.values()) yield { type: 'put', kind: 'researcher', id: value.id, value }
    for (const { config: value } of sites.values()) yield { type: 'put', kind: 'site', id: value.id, value }
  }
}

type MutableChange = {
  [Name in keyof SnapshotChange]: SnapshotChange[Name] extends boolean ? boolean : Set<string>
}

/** One transaction while it arrives. */
export class SnapshotEdit {
  #installation: InstallationConfig | undefined
  readonly #organizations: ShardedMapEdit<OrganizationConfig>
  readonly #sites: ShardedMapEdit<CompiledSite>
  readonly #sitesByHost: ShardedMapEdit<CompiledSite>
  readonly #researchers: ShardedMapEdit<ResearcherConfig>
  readonly #researchersByKey: ShardedMapEdit<ResearcherConfig>
  readonly #researchersByInvitation: ShardedMapEdit<ResearcherConfig>
  readonly #policies: Map<string, RateLimitPolicy>
  readonly #ruleSets: Map<string, RuleSetConfig>
  readonly #change: MutableChange

  constructor(base: Tables, full: boolean) {
    this.#installation = base.installation
    this.#organizations = base.organizations.edit()
    this.#sites = base.sites.edit()
    this.#sitesByHost = base.sitesByHost.edit()
    this.#researchers = base.researchers.edit()
    this.#researchersByKey = base.researchersByKey.edit()
    this.#researchersByInvitation = base.researchersByInvitation.edit()
    this.#policies = new Map(base.policies)
    this.#ruleSets = new Map(base.ruleSets)
    this.#change = { full, sites: new Set(), researchers: new Set(), organizations: new Set() }
  }

  put(message: FeedPut): void {
    if (message.kind === 'site') this.#putSite(message.id, message.value)
    else if (message.kind === 'researcher') this.#putResearcher(message.id, message.value)
    else if (message.kind === 'policy') this.#policies.set(message.id, message.value)
    else if (message.kind === 'ruleSet') this.#ruleSets.set(message.id, message.value)
    else if (message.kind === 'installation') this.#installation = message.value
    else {
      this.#organizations.set(message.id, message.value)
      this.#change.organizations.add(message.id)
    }
  }

  remove(kind: SnapshotKind, id: string): void {
    if (kind === 'site') this.#removeSite(id)
    else if (kind === 'researcher') this.#removeResearcher(id)
    else if (kind === 'policy') this.#policies.delete(id)
    else if (kind === 'ruleSet') this.#ruleSets.delete(id)
    else if (kind === 'installation') this.#installation = undefined
    else {
      this.#organizations.delete(id)
      this.#change.organizations.add(id)
    }
  }

  /** The new snapshot, and what it changed. The edit must not be used after it. */
  commit(revision: number): { snapshot: CompiledSnapshot; change: SnapshotChange } {
    const snapshot = new CompiledSnapshot(revision, {
      installation: this.#installation,
      organizations: this.#organizations.finish(),
      sites: this.#sites.finish(),
      sitesByHost: this.#sitesByHost.finish(),
      researchers: this.#researchers.finish(),
      researchersByKey: this.#researchersByKey.finish(),
      researchersByInvitation: this.#researchersByInvitation.finish(),
      policies: this.#policies,
      ruleSets: this.#ruleSets,
    })
    return { snapshot, change: this.#change }
  }

  #putSite(id: string, config: SiteConfig): void {
    this.#removeSite(id)
    const site = compileSite(config)
    this.#sites.set(id, site)
    this.#sitesByHost.set(config.gatedName, site)
  }

  #removeSite(id: string): void {
    const name = this.#sites.get(id)?.config.gatedName
    // The name may already belong to another site that took it over earlier in this transaction.
    if (name !== undefined && this.#sitesByHost.get(name)?.config.id === id) this.#sitesByHost.delete(name)
    this.#sites.delete(id)
    this.#change.sites.add(id)
  }

  #putResearcher(id: string, config: ResearcherConfig): void {
    this.#removeResearcher(id)
    this.#researchers.set(id, config)
    for (const hash of config.keyHashes) this.#researchersByKey.set(hash, config)
    for (const { hash } of config.invitations) this.#researchersByInvitation.set(hash, config)
  }

  #removeResearcher(id: string): void {
    const before = this.#researchers.get(id)
    for (const hash of before?.keyHashes ?? [])
      if (this.#researchersByKey.get(hash)?.id === id) this.#researchersByKey.delete(hash)
    for (const { hash } of before?.invitations ?? [])
      if (this.#researchersByInvitation.get(hash)?.id === id) this.#researchersByInvitation.delete(hash)
    this.#researchers.delete(id)
    this.#change.researchers.add(id)
  }
}

/** A site as requests need it. Its list is indexed when it is first asked, so that an unused one costs nothing. */
function compileSite(config: SiteConfig): CompiledSite {
  let listed: ReadonlySet<string> | undefined
  return {
    config,
    lists(researcherId) {
      listed ??= new Set(config.researcherIds)
      return listed.has(researcherId)
    },
  }
}
