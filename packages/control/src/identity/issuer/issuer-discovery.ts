import type { JSONWebKeySet } from 'jose'
import { z } from 'zod'

const TIMEOUT_MS = 5_000
const DOCUMENT_BYTES_MAX = 512 * 1024

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url() })
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) })

/**
 * Gets the keys of an OpenID Connect issuer by way of its discovery document (OpenID Connect Discovery 1.0, section 4).
 * The document must name the very issuer that it was asked of, and keys travel over plain HTTP only if the issuer does.
 */
export async function discoverIssuerKeys(issuer: string, get: typeof fetch = fetch): Promise<JSONWebKeySet> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const found = metadata.parse(await getDocument(address, get))
  if (found.issuer !== issuer) throw new Error(`the discovery document of ${issuer} names another issuer`)
  if (!found.jwks_uri.startsWith('https:') && !issuer.startsWith('http:'))
    throw new Error(`the keys of ${issuer} are not served over https`)
  return keySet.parse(await getDocument(found.jwks_uri, get))
}

async function getDocument(address: string, get: typeof fetch): Promise<unknown> {
  const response = await get(address, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok || !response.body) throw new Error(`${address} answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    if (bytes > DOCUMENT_BYTES_MAX)
      throw new Error(`${address} answered more than ${DOCUMENT_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
