/**
 * What the gateway serves from: compiled, immutable, swapped by reference. A request takes `current` once and keeps it.
 */
import type {
  InstallationConfig,
  OrganizationConfig,
  RateLimitPolicy,
  ResearcherConfig,
  RuleSetConfig,
  SiteConfig,
} from '@sallyport/contract'
import type { GateAddress } from './gate-address.ts'
import type { SiteBrief } from './sites/site-brief.ts'

/** A site with what is worked out from its configuration, each part on first use and then kept while it is unchanged. */
export interface CompiledSite {
  readonly config: SiteConfig
  /** Whether the site's list names a researcher; meaningful where `config.access` is `listed`. */
  lists(researcherId: string): boolean
  /** The template of its API that a path belongs to; undefined where none is known. */
  templateOf(path: string): string | undefined
  /** The site of the wildcard that a host is one of; absent of any other. */
  readonly wildcard?: CompiledSite
}

export interface Snapshot {
  /** Configuration revision that this is; 0 before any was received. */
  readonly revision: number
  readonly installation: InstallationConfig | undefined
  /** The gate's own host; undefined where the control plane does not say it, and then nobody signs in by a browser. */
  readonly gate: GateAddress | undefined
  organization(id: string): OrganizationConfig | undefined
  /** By lower-case gated name without a port; of a wildcard the host that is named. */
  siteByHost(host: string): CompiledSite | undefined
  site(id: string): CompiledSite | undefined
  /** All sites in short, some dozens at a time, so that going through them can be divided into slices. */
  siteBriefs(): Iterable<readonly SiteBrief[]>
  researcher(id: string): ResearcherConfig | undefined
  /** By SHA-256 of a `rk_live_…` key, lower-case hex. */
  researcherByKeyHash(hash: string): ResearcherConfig | undefined
  policy(name: string): RateLimitPolicy | undefined
  readonly ruleSets: ReadonlyMap<string, RuleSetConfig>
}

/** Says which revision is in force in the whole gateway, and notifies listeners of another one. */
export interface RevisionSource {
  readonly current: Pick<Snapshot, 'revision'>
  /** Returns the way to stop it. */
  onSwap(listener: () => void): () => void
}

/** Holds the present snapshot, and notifies listeners of a new one. */
export interface SnapshotSource {
  readonly current: Snapshot
  /** Calls `listener` after each swap, in the turn of the swap. Returns the way to stop it. */
  onSwap(listener: (snapshot: Snapshot) => void): () => void
}
