/** The URL under which researchers reach a gated name: scheme and port are those of the gateways. */
export function gatedUrl(gatewayPublicUrl: string, gatedName: string): string {
  const url = new URL(gatewayPublicUrl)
  url.hostname = gatedName
  return url.origin
}
