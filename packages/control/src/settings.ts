/** The settings of the control plane. Read once by the command, frozen, and passed down. */
import type { TracesSettings } from '@sallyport/tracing'

/** An OpenID Connect issuer whose tokens the admin API accepts. */
export interface OidcSettings {
  readonly issuer: string
  readonly audience: string
  /** What the issuer knows the console as: a public client. */
  readonly clientId: string
  /** What the console asks for, where the audience is chosen by a scope; null where it is asked for by its name. */
  readonly scope: string | null
  /** Names of the claims that say the organization, the e-mail address and the role. */
  readonly organizationClaim: string
  readonly emailClaim: string
  /** Claim that must be `true` for the address to count; null where the issuer checks every address and never says so. */
  readonly emailVerifiedClaim: string | null
  readonly roleClaim: string
  /** Organizations by what the issuer calls them; one that is not here is called by its own id. */
  readonly organizations: Readonly<Record<string, string>>
  /** Signature algorithms allowed, of the public-key kind only. */
  readonly algorithms: readonly string[]
}

/** When a public origin must be proved before a site opens: where several organizations are served, always, or never. */
export type OriginProofMode = 'auto' | 'always' | 'never'

/** Where organizations may be told of what happens, and how mail is sent. */
export interface NotifySettings {
  /** Hosts that webhooks may have, `*.example.com` for all below one; empty for any. */
  readonly webhookHosts: readonly string[]
  /** CIDRs that webhooks may reach although they are not public. */
  readonly webhookPrivateAddresses: readonly string[]
  /** Hosts of webhooks that may be reached in plain HTTP. */
  readonly webhookPlainHosts: readonly string[]
  /** The server that takes mail, as a URL (`smtp` with STARTTLS, or `smtps`), and the sender's address; null for no mail. */
  readonly mail: { readonly url: string; readonly from: string } | null
}

export interface ControlSettings {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Where the operator's port listens. */
  readonly adminHost: string
  /** 0 for any free port. */
  readonly adminPort: number
  /** Of the program, as metrics say it. */
  readonly version: string
  /** CIDRs of reverse proxies whose `X-Forwarded-For` is believed: attempts to sign in are counted by address. */
  readonly trustedProxies: readonly string[]
  /** Where browsers and clients reach the control plane; no slash at the end. */
  readonly publicUrl: string
  /** Names of gated sites are made under this domain. */
  readonly gateDomain: string
  /** Scheme and port under which researchers reach gated names, as a URL whose host is the gate domain. */
  readonly gatewayPublicUrl: string
  /** Where researchers reach the gate's own host, by the same scheme and port, without a slash at the end. */
  readonly gateUrl: string
  readonly originProof: OriginProofMode
  /** CIDRs that origins may lie in although they are not public; such origins need no proof. */
  readonly allowPrivateOrigins: readonly string[]
  /** For the role that the application uses, which row-level security binds. */
  readonly databaseUrl: string
  /** The same database without the pooler that `databaseUrl` names, for what needs a session: notifications. */
  readonly directDatabaseUrl?: string | undefined
  /** For the role that owns the tables and migrates them; never a pooler. */
  readonly migrationDatabaseUrl: string
  /** The traffic store: a ClickHouse server or the cluster of this name that it belongs to, or the engine in this process on a folder. */
  readonly clickhouse:
    | { readonly url: string; readonly cluster?: string | undefined }
    | { readonly dataDir: string }
  /** 32 bytes; every key that the control plane encrypts or signs with is derived from it. */
  readonly secretKey: Buffer
  /** Keys that were the secret key before; they still open what was sealed with them. */
  readonly earlierSecretKeys?: readonly Buffer[]
  /** What gateways show to be let in. */
  readonly gatewayToken: string
  /** Null for the embedded identity provider. */
  readonly oidc: OidcSettings | null
  readonly notify: NotifySettings
  /** Folder of the built console; null where it is not served. */
  readonly consoleDir: string | null
  readonly logLevel: string
  /** Null where nothing is traced. */
  readonly traces: TracesSettings | null
}
