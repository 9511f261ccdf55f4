/**
 * What a gateway must know to serve, as the control plane sends it: plain data, no methods, no references.
 * The gateway compiles it (host map, matchers, limiters) and swaps the result by reference.
 *
 * Times are milliseconds since the Unix epoch; `null` means open-ended. Secrets appear only as hashes.
 */
import type { BlockRule } from '../rules/block-rules.ts'
import type { FirewallSettings } from '../rules/firewall.ts'
import type { OriginProtocol } from '../rules/origin-protocols.ts'
import type { PathConvention } from '../rules/path-conventions.ts'
import type { PreflightRule } from '../rules/preflights.ts'
import type { RateLimitPolicy } from '../rules/rate-limit-policies.ts'

/** An organization, as far as a gateway cares. */
export interface OrganizationConfig {
  readonly id: string
  readonly name: string
  /** False while the operator has suspended the organization or its kill switch is on: nothing of it is served. */
  readonly open: boolean
  /**
   * How long a gateway serves its sites without being told that its snapshot is in force, milliseconds; null for ever. Absent from
   * a control plane of before leases, which is the same.
   */
  readonly leaseMs?: number | null
  /** Whom its researchers ask: an e-mail address or an `https://` address; empty for nobody, and absent from a control plane of before. */
  readonly contact?: string
  /**
   * Key of what gateways seal for its researchers (HMAC-SHA-256), base64url: sessions, sign-in codes, hashes of addresses. All gateways that
   * serve the organization share it, and no others have it. Absent from a control plane that knows one key for all.
   */
  readonly sessionKey?: string
}

/** Where a site's requests go. The host is a name or an address literal without brackets, lower case. */
export interface OriginConfig {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
}

/** How much of a request the record of a site keeps. */
export interface RedactionSettings {
  /** Query values: kept as sent, or each replaced by `***` (names stay). */
  readonly queryValues: 'keep' | 'mask'
  /** Client addresses: as they are, as a keyed hash, or not at all. */
  readonly clientAddress: 'keep' | 'hash' | 'drop'
  /** The User-Agent header. */
  readonly userAgent: 'keep' | 'drop'
}

/** A site by its two names. */
export interface SiteHost {
  readonly gatedName: string
  readonly origin: OriginConfig
}

/** Sites that are one application on several hosts. */
export interface SiteGroupConfig {
  /** The domain of the group, lower case: the gated names of its sites are one label under it. */
  readonly gatedName: string
  /** All sites of the group, by gated name. */
  readonly sites: readonly SiteHost[]
}

/** The API definition of a site as a rule. */
export interface DefinitionRuleConfig {
  /** Hash of the table. */
  readonly id: string
  /** The table, as text of `@sallyport/api-definition`. */
  readonly table: string
}

/** A protected site. */
export interface SiteConfig {
  readonly id: string
  readonly orgId: string
  /** Host under which researchers reach it, lower case, without a port. Unique across the installation. */
  readonly gatedName: string
  readonly origin: OriginConfig
  readonly enabled: boolean
  /** Open from this instant on. */
  readonly startsAt: number | null
  /** Closed from this instant on. */
  readonly stopsAt: number | null
  /** `listed` admits only the researchers in `researcherIds`; `all` admits every active one of the organization. */
  readonly access: 'all' | 'listed'
  readonly researcherIds: readonly string[]
  /** Name of a policy in the snapshot; empty for no limit. */
  readonly rateLimit: string
  readonly blockRules: readonly BlockRule[]
  readonly firewall: FirewallSettings
  /** There where `firewall.definition` is on; absent from a control plane that does not know of it. */
  readonly definition?: DefinitionRuleConfig
  readonly redaction: RedactionSettings
  /** Refuse every target that reads differently to different parsers, instead of only those under a block rule. */
  readonly refuseAmbiguousTargets: boolean
  /** What the origin makes of paths beyond what all may; absent from a control plane that knows none of it. */
  readonly pathConventions?: readonly PathConvention[]
  /** Forward no other headers than known ones; absent from a control plane that does not know of it. */
  readonly passesKnownHeadersOnly?: boolean
  /** The group that the site is in; absent where it is in none, and from a control plane that does not know of it. */
  readonly group?: SiteGroupConfig
  /** Tell the origin the gated name as `Host`, and not its own; absent from a control plane that does not know of it. */
  readonly keepsGatedHost?: boolean
  /** Rewrite names of origins in the text of answers; absent from a control plane that does not know of it. */
  readonly rewritesBodies?: boolean
  /** What becomes of CORS preflights; absent, which is `refuse`, from a control plane that does not know of it. */
  readonly preflights?: PreflightRule
  /** Take a key as the password of HTTP Basic, too; absent from a control plane that does not know of it. */
  readonly acceptsKeyAsPassword?: boolean
  /** Take answers whose heads only browsers would take; absent from a control plane that does not know of it. */
  readonly takesLenientAnswers?: boolean
  /** What is spoken with the origin; absent, which is `http1`, from a control plane that does not know of it. */
  readonly originProtocol?: OriginProtocol
  /**
   * Templates of the operations of its API, what is given before what is confirmed before what is learned; absent where there are
   * none, and from a control plane that does not know of them.
   */
  readonly routes?: readonly string[]
  /** Words for the researcher, plain text. */
  readonly instructions: string
  /** True where the site has credentials to reveal on the researcher's page (they stay in the control plane). */
  readonly hasCredentials: boolean
}

/** An invited researcher. */
export interface ResearcherConfig {
  readonly id: string
  readonly orgId: string
  readonly email: string
  readonly name: string
  readonly paused: boolean
  readonly expiresAt: number | null
  /** SHA-256 of each valid `rk_live_…` key, lower-case hex. */
  readonly keyHashes: readonly string[]
  /** Nothing: invitations are the control plane's alone. Said because earlier gateways read the list. */
  readonly invitations?: readonly never[]
  /** Raised to end every session cookie issued before. */
  readonly sessionGeneration: number
}

/** Installation-wide values that every gateway needs. */
export interface InstallationConfig {
  /**
   * Key of what gateways seal where an organization has none of its own, base64url. Empty for a gateway that serves some organizations
   * alone: there is nothing for it to seal by that.
   */
  readonly sessionKey: string
  /**
   * Where browsers reach the gate's own host, without a slash at the end: `https://sallyport.gate.example.com`. Gated names
   * are reached by the same scheme and port. Absent where the control plane is of before it; then there is no such host.
   */
  readonly gateUrl?: string
}

/** A firewall rule set in the engine's own format, as imported by the operator. */
export interface RuleSetConfig {
  readonly id: string
  readonly name: string
  /** JSON of the rule set, for the engine. */
  readonly rules: string
}

/** One thing of the snapshot by kind. `id` names it within its kind (a policy's id is its name). */
export interface SnapshotItems {
  readonly installation: InstallationConfig
  readonly organization: OrganizationConfig
  readonly site: SiteConfig
  readonly researcher: ResearcherConfig
  readonly policy: RateLimitPolicy
  readonly ruleSet: RuleSetConfig
}

export type SnapshotKind = keyof SnapshotItems
