/**
 * An API definition as it is handed out: its servers are the gated name, and what was meant for other tools and people is left out, which are
 * extensions, servers of single operations, and texts that look like secrets.
 */

type Document = Readonly<Record<string, unknown>>

/** Maps whose keys are names that the API gives, and not members that OpenAPI knows. */
const NAME_MAPS: ReadonlySet<string> = new Set(
  'properties patternProperties dependentSchemas dependentRequired dependencies $defs definitions schemas responses parameters requestBodies headers securitySchemes securityDefinitions links callbacks pathItems mediaTypes variables mapping encoding content scopes webhooks'.split(
    ' ',
  ),
)
/** Values of the API, whose members are nobody's extensions. */
const VALUES: ReadonlySet<string> = new Set(['example', 'default', 'enum', 'const', 'value'])
const MASK = '***'
/** Keys of well-known services and of ours, tokens and private keys. */
const SECRETS =
  /\b(?:(?:ak|rk|ge|gw|sk|pk)_(?:live|test)_|whsec_|gh[pousr]_|github_pat_|xox[abprs]-|glpat-|npm_)[\w-]{10,}|\bAKIA[0-9A-Z]{16}\b|(?<![\w-])eyJ[\w-]{8,4096}\.[\w-]{8,4096}\.[\w-]*|-----BEGIN [A-Z ]{0,40}PRIVATE KEY[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----|$)|\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,100}:[^\s/@]{1,200}@/g

/** An uploaded document as researchers may see it, at `gatedOrigin`. */
export function publishedDocument(document: Document, gatedOrigin: string): Record<string, unknown> {
  // The object of an object is one, too.
  return clean(rewriteServers(document, gatedOrigin), 'document') as Record<string, unknown>
}

type Kind = 'document' | 'part' | 'names' | 'value' | 'requirements' | 'examples'

/** What the items of a list are. */
const ITEMS: Readonly<Partial<Record<Kind, Kind>>> = {
  value: 'value',
  requirements: 'names',
  examples: 'value',
}

function clean(value: unknown, kind: Kind): unknown {
  if (typeof value === 'string') return value.replaceAll(SECRETS, MASK)
  if (Array.isArray(value)) return value.map((item) => clean(item, ITEMS[kind] ?? 'part'))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => isKept(key, kind))
  return Object.fromEntries(kept.map(([key, child]) => [key, clean(child, kindOf(key, kind))]))
}

function isKept(key: string, kind: Kind): boolean {
  if (kind === 'names' || kind === 'value' || kind === 'examples') return true
  if (key.startsWith('x-')) return false
  return kind === 'document' || (key !== 'servers' && key !== 'server')
}

function kindOf(key: string, kind: Kind): Kind {
  if (kind === 'value') return 'value'
  if (kind === 'names' || kind === 'examples') return 'part'
  if (key === 'security') return 'requirements'
  if (key === 'examples') return 'examples'
  if (VALUES.has(key)) return 'value'
  return NAME_MAPS.has(key) ? 'names' : 'part'
}

/** Points an OpenAPI document of any version at `gatedOrigin`, keeping the base path of its first server. */
export function rewriteServers(document: Document, gatedOrigin: string): Record<string, unknown> {
  if ('swagger' in document) {
    const url = new URL(gatedOrigin)
    return { ...document, host: url.host, schemes: [url.protocol.slice(0, -1)] }
  }
  return { ...document, servers: [{ url: gatedOrigin + basePathOf(document.servers) }] }
}

/** The path of the first server; servers with variables or without a path have none. */
export function basePathOf(servers: unknown): string {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined
  if (typeof first !== 'object' || first === null || !('url' in first) || typeof first.url !== 'string')
    return ''
  const path = URL.parse(first.url, 'https://origin.invalid')?.pathname ?? ''
  return path.includes('%7B') || path === '/' ? '' : path.replace(/\/$/, '')
}
