/** Where the gate's own host is, and gated hosts beside it: they differ in the name alone. */
export interface GateAddress {
  /** Lower case, without a port. */
  readonly host: string
  /** Web origin of the gate's own host, as `Origin` says it: `https://sallyport.gate.example.com`. */
  readonly origin: string
  /** Name and port of a gated host, as browsers say them: `shop.gate.example.com:7443`. */
  authorityOf(gatedName: string): string
  /** Web origin of a gated host. */
  urlOf(gatedName: string): string
}

/** Reads the `gateUrl` of a snapshot; undefined where it says none. */
export function gateAddressOf(gateUrl: string | undefined): GateAddress | undefined {
  const url = gateUrl === undefined ? null : URL.parse(gateUrl)
  if (!url) return undefined
  const { protocol, hostname, port, origin } = url
  const end = port === '' ? '' : `:${port}`
  return {
    host: hostname,
    origin,
    authorityOf: (gatedName) => gatedName + end,
    urlOf: (gatedName) => `${protocol}//${gatedName}${end}`,
  }
}
