/**
 * An API definition as it is handed out: its servers are the gated name, and what was meant for other tools and people is left out, which are
 * extensions, servers of single operations, and texts that look like secrets.
 */

import { isObject } from '@sallyport/api-definition'
import { itemKind, memberKind, type PartKind } from '../../../http/documents/document-parts.ts'

type Document = Readonly<Record<string, unknown>>

const MASK = '***'
/** Keys of well-known services and of ours, which have digits as names mostly have not; tokens and private keys. */
const SECRETS =
  /\b(?:(?:ak|rk|ge|gw|sk|pk)_(?:live|test)_|whsec_|gh[pousr]_|github_pat_|xox[abprs]-|glpat-)(?=[\w-]{0,100}\d)[\w-]{10,}|\bnpm_[A-Za-z0-9]{30,}|\bAKIA[0-9A-Z]{16}\b|(?<![\w-])eyJ[\w-]{8,4096}\.[\w-]{8,4096}\.[\w-]*|-----BEGIN [A-Z ]{0,40}PRIVATE KEY[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----|$)|\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,100}:[^\s/@]{1,200}@/g

/** An uploaded document as researchers may see it, at `gatedOrigin`. */
export function publishedDocument(document: Document, gatedOrigin: string): Record<string, unknown> {
  // The object of an object is one, too.
  return clean(rewriteServers(document, gatedOrigin), 'document') as Record<string, unknown>
}

/** A text in which what looks like a secret is masked. */
export const withoutSecrets = (text: string): string => text.replaceAll(SECRETS, MASK)

function clean(value: unknown, kind: PartKind): unknown {
  if (typeof value === 'string') return withoutSecrets(value)
  if (Array.isArray(value)) return value.map((item) => clean(item, itemKind(kind)))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, child]) => [key, child, memberKind(key, kind)] as const)
  return Object.fromEntries(
    members
      .filter(([key, , member]) => member !== 'extension' && !isServer(key, kind))
      .map(([key, child, member]) => [key, clean(child, member)]),
  )
}

/** Servers of single paths, operations and links. */
const isServer = (key: string, kind: PartKind): boolean =>
  kind === 'part' && (key === 'servers' || key === 'server')

/** Points an OpenAPI document of any version at `gatedOrigin`, keeping the base path of its first server. */
export function rewriteServers(document: Document, gatedOrigin: string): Record<string, unknown> {
  if ('swagger' in document) {
    const url = new URL(gatedOrigin)
    return { ...document, host: url.host, schemes: [url.protocol.slice(0, -1)] }
  }
  return { ...document, servers: [{ url: gatedOrigin + serverPathOf(document.servers) }] }
}

/** The path before all paths of an OpenAPI document of any version, without a slash at its end. */
export function basePathOf(document: Document): string {
  if (!('swagger' in document)) return serverPathOf(document.servers)
  const { basePath } = document
  return typeof basePath === 'string' && basePath.startsWith('/') ? basePath.replace(/\/+$/, '') : ''
}

const VARIABLE = /\{([^{}]{1,200})\}/g

/** The path of the first server, with its variables as they are by default. */
function serverPathOf(servers: unknown): string {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined
  if (!isObject(first) || typeof first.url !== 'string') return ''
  const variables = isObject(first.variables) ? first.variables : {}
  const url = first.url.replaceAll(VARIABLE, (_whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    return isObject(variable) && typeof variable.default === 'string' ? variable.default : 'variable'
  })
  const path = URL.parse(url, 'https://origin.invalid')?.pathname ?? ''
  return path.includes('%7B') || path === '/' ? '' : path.replace(/\/$/, '')
}
