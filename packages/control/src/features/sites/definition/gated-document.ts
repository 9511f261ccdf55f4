/** The API definition of a site, with its servers rewritten to the gated name. */

type Document = Readonly<Record<string, unknown>>

/** Points an OpenAPI 2.0, 3.0 or 3.1 document at `gatedOrigin`, keeping the base path of its first server. */
export function rewriteServers(document: Document, gatedOrigin: string): Record<string, unknown> {
  if ('swagger' in document) {
    const url = new URL(gatedOrigin)
    return { ...document, host: url.host, schemes: [url.protocol.slice(0, -1)] }
  }
  return { ...document, servers: [{ url: gatedOrigin + basePathOf(document.servers) }] }
}

/** The path of the first server; servers with variables or without a path have none. */
function basePathOf(servers: unknown): string {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined
  if (typeof first !== 'object' || first === null || !('url' in first) || typeof first.url !== 'string')
    return ''
  const path = URL.parse(first.url, 'https://origin.invalid')?.pathname ?? ''
  return path.includes('%7B') || path === '/' ? '' : path.replace(/\/$/, '')
}
