/** What the gateway is configured with at its start. Read once by the command, frozen, and passed down. */
import type { TracesSettings } from '@sallyport/tracing'

/** Writes a line to the gateway's log. */
export type Log = (level: 'info' | 'warn' | 'error', line: string) => void

/** Bounds and timeouts of the researchers' side and of the origins' side. Sizes in bytes, times in milliseconds. */
export interface GatewayLimits {
  /** Request line and headers together. */
  readonly headBytesMax: number
  readonly headersMax: number
  readonly targetBytesMax: number
  readonly bodyBytesMax: number
  /** Connections of researchers open at once; a further one costs the oldest that asks for nothing. */
  readonly connectionsMax: number
  /** Requests and WebSockets that one researcher may have running at once, over all sites. */
  readonly streamsPerResearcherMax: number
  /** From the first byte of a request to the end of its head. */
  readonly headTimeoutMs: number
  /** Longest silence of a client that owes us more of its request body. */
  readonly bodyIdleTimeoutMs: number
  /** Longest time that an answer may wait for a client that does not read. */
  readonly answerIdleTimeoutMs: number
  /** Idle keep-alive time of a researcher's connection. */
  readonly keepAliveTimeoutMs: number
  readonly websocketIdleTimeoutMs: number
  /** Name resolution, TCP and TLS handshake with an origin, together. */
  readonly originConnectTimeoutMs: number
  /** From the end of the request to the origin's response head. */
  readonly originHeadTimeoutMs: number
  /** Longest silence of an origin in the middle of its answer. Server-sent events stay within it by comments. */
  readonly originBodyIdleTimeoutMs: number
  readonly originKeepAliveTimeoutMs: number
  readonly originConnectionsMax: number
  /** How many of those one researcher may hold; requests beyond wait, and are refused after `originConnectTimeoutMs`. */
  readonly originConnectionsPerResearcherMax: number
  readonly originHeadBytesMax: number
  /** How long a closing gateway lets running requests finish. */
  readonly drainTimeoutMs: number
  /** A thread whose event loop stands still for so long is ended and started again. */
  readonly threadSilenceMaxMs: number
}

export const DEFAULT_GATEWAY_LIMITS: GatewayLimits = Object.freeze({
  headBytesMax: 64 * 1024,
  headersMax: 200,
  targetBytesMax: 32 * 1024,
  bodyBytesMax: 4 * 1024 * 1024 * 1024,
  connectionsMax: 20_000,
  streamsPerResearcherMax: 1_000,
  headTimeoutMs: 15_000,
  bodyIdleTimeoutMs: 60_000,
  answerIdleTimeoutMs: 120_000,
  keepAliveTimeoutMs: 65_000,
  websocketIdleTimeoutMs: 3_600_000,
  originConnectTimeoutMs: 5_000,
  originHeadTimeoutMs: 60_000,
  originBodyIdleTimeoutMs: 300_000,
  originKeepAliveTimeoutMs: 4_000,
  originConnectionsMax: 512,
  originConnectionsPerResearcherMax: 128,
  originHeadBytesMax: 128 * 1024,
  drainTimeoutMs: 10_000,
  threadSilenceMaxMs: 10_000,
})

/** Bounds of the journal on disk. */
export interface JournalSettings {
  /** One file of the journal is closed and the next begun at this size. */
  readonly segmentBytesMax: number
  /** What waits to be sent fills at most this much; then `whenFull` applies. */
  readonly totalBytesMax: number
  /** Whether that is less where the disk has little room: half of what is free and what the journal has. */
  readonly followsFreeSpace?: boolean
  /** How many journals share what is free on the disk, if several do. */
  readonly sharers?: number
  /** `stop`: admit no more requests until the control plane has taken some. `drop-oldest`: lose the oldest events. */
  readonly whenFull: 'stop' | 'drop-oldest'
}

export const DEFAULT_JOURNAL_SETTINGS: JournalSettings = Object.freeze({
  segmentBytesMax: 16 * 1024 * 1024,
  totalBytesMax: 2 * 1024 * 1024 * 1024,
  followsFreeSpace: true,
  whenFull: 'stop',
})

export interface GatewaySettings {
  /** Folder of this gateway alone: journal, last good snapshot. Created where it is missing. */
  readonly dataDir: string
  readonly gatewayId: string
  /** Of the program, as the control plane shows it. */
  readonly version: string
  /** How many threads serve requests; 1 for the one of the process itself. */
  readonly threads: number
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly adminHost: string
  readonly adminPort: number
  /**
   * A folder of `<name>.crt` (chain) and `<name>.key` pairs, chosen by SNI; null to serve plain HTTP only. At `proxyPort` the gateway
   * is a proxy for its own gated names, where there is one.
   */
  readonly tls: {
    readonly directory: string
    readonly port: number
    readonly proxyPort?: number | undefined
  } | null
  /** CIDRs of load balancers each of whose connections begins with a header of the PROXY protocol. */
  readonly proxyProtocolFrom: readonly string[]
  /** CIDRs of reverse proxies that are believed who asks them, and the header in which they say it. */
  readonly trustedProxies: readonly string[]
  readonly forwardedHeader: 'x-forwarded-for' | 'forwarded'
  /** Base URLs of the control plane's processes, without a path. */
  readonly controlUrls: readonly string[]
  /** A feed that is silent for longer is left for the next of them, milliseconds. */
  readonly controlSilenceMaxMs: number
  /** What gateways share; shown where the data directory has no credential of the gateway's own. */
  readonly gatewayToken: string
  /** What closes and opens at the admin port. */
  readonly adminToken: string
  /** CIDRs that origins may resolve into although they are not public. */
  readonly allowPrivateOrigins: readonly string[]
  /** PEM file of further authorities that may have signed origins' certificates; null for the system's alone. */
  readonly originAuthoritiesFile: string | null
  readonly valkeyUrl: string | null
  /** Folder of the built researcher's page; null where it is not served. */
  readonly researcherPageDir: string | null
  readonly journal: JournalSettings
  readonly limits: GatewayLimits
  readonly logLevel: string
  /** Null where nothing is traced. */
  readonly traces: TracesSettings | null
}
