/**
 * Who asked a reverse proxy, by the headers in which it says so: believed of those alone that the operator lists, and read from the right,
 * because each proxy adds at the end and anything before the first that is not listed is what a client has made up.
 */
import { type AddressRanges, plainAddress } from '@sallyport/policy'
import type { GatewaySettings } from '../../settings.ts'

/** In which headers proxies say it: those of convention, or that of RFC 7239. Only the one that is set is read: a proxy passes the other on. */
export type ForwardedHeader = GatewaySettings['forwardedHeader']

/** Who sends a request, and whether by TLS. */
export interface RequestClient {
  readonly clientAddress: string
  readonly secure: boolean
}

/** Reads the headers of a proxy that is listed. */
export interface ForwardedClients {
  /** Who sent a request that came by a listed proxy at this address, over TLS or not. */
  clientOf(rawHeaders: readonly string[], proxy: RequestClient): RequestClient
}

/** One proxy after another, of which the nearest is the last; nobody has more of them, and what is before is a client's. */
const HOPS_MAX = 32
const HOPS_CHARS_MAX = HOPS_MAX * 64

/** Makes the reader of one header. `trusted` are the addresses of proxies. */
export function createForwardedClients(header: ForwardedHeader, trusted: AddressRanges): ForwardedClients {
  const hopsOf = header === 'forwarded' ? hopsOfForwarded : hopsByConvention
  return {
    clientOf(rawHeaders, proxy) {
      let client = proxy
      for (const { address, scheme } of hopsOf(rawHeaders)) {
        // A proxy that knows no address, or hides it: nobody before it is known either.
        if (address === null) break
        client = { clientAddress: address, secure: scheme === '' ? client.secure : scheme === 'https' }
        if (!trusted.has(address)) break
      }
      return client
    },
  }
}

interface Hop {
  readonly address: string | null
  /** What it spoke with the proxy that says this; empty where that is not said. */
  readonly scheme: '' | 'http' | 'https'
}

/** The hops by `X-Forwarded-For`, the nearest first, all with what `X-Forwarded-Proto` says where that is one word. */
function hopsByConvention(rawHeaders: readonly string[]): Hop[] {
  const scheme = schemeOf(valuesOf(rawHeaders, 'x-forwarded-proto'))
  return nearest(valuesOf(rawHeaders, 'x-forwarded-for').slice(-HOPS_CHARS_MAX).split(',')).map((text) => ({
    address: addressOf(text.trim()),
    scheme,
  }))
}

/** The hops by `Forwarded`, the nearest first, as far as it is to the letter from its end on: what is before may be a client's. */
function* hopsOfForwarded(rawHeaders: readonly string[]): Generator<Hop> {
  let value = valuesOf(rawHeaders, 'forwarded').slice(-HOPS_CHARS_MAX)
  for (let hops = 0; hops < HOPS_MAX; hops += 1) {
    const last = LAST_ELEMENT.exec(value)
    if (!last) return
    yield hopOf(last[0])
    value = value.slice(0, last.index)
  }
}

function hopOf(element: string): Hop {
  const parameters = new Map(
    [...element.matchAll(PARAMETER)].map(([, name = '', given = '']) => [
      name.toLowerCase(),
      unquoted(given),
    ]),
  )
  return {
    address: addressOf(parameters.get('for') ?? ''),
    scheme: schemeOf(parameters.get('proto') ?? ''),
  }
}

const nearest = (hops: readonly string[]): string[] => hops.slice(-HOPS_MAX).reverse()

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"'
const PAIR = `${TOKEN}=(?:${TOKEN}|${QUOTED})`
const PAIRS = `${PAIR}(?:[ \\t]*;[ \\t]*${PAIR})*`
/**
 * RFC 7239, section 4, with blanks around its signs. No comma within quotes begins an element that goes on to the end: the quotes behind
 * such a one do not come in pairs.
 */
const LAST_ELEMENT = new RegExp(`(?:^|,)[ \\t]*${PAIRS}[ \\t]*$`)
const PARAMETER = new RegExp(`(${TOKEN})=(${TOKEN}|${QUOTED})`, 'g')

const unquoted = (value: string): string =>
  value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value

const schemeOf = (text: string): Hop['scheme'] => {
  const lower = text.trim().toLowerCase()
  return lower === 'http' || lower === 'https' ? lower : ''
}

/** An address, perhaps with a port, where IPv6 has brackets; null for anything else. */
function addressOf(text: string): string | null {
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? []
  if (bracketed !== undefined) return bracketed.includes(':') ? plainAddress(bracketed) : null
  return plainAddress(text) ?? plainAddress(/^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? '')
}

/** All values of a header, joined in their order as RFC 9110, section 5.3, joins them. */
function valuesOf(rawHeaders: readonly string[], name: string): string {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '')
  return values.join(', ')
}
