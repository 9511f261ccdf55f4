/**
 * The headers that a site may restrict its researchers to (`passesKnownHeadersOnly`): those of the standards that clients
 * send, those of browsers, and the few without a standard that ordinary pages rely on. None of them names a path, a method,
 * a host or a script to an origin but `Destination`, which is judged.
 *
 * They are known by their exact names: a spelling with another sign for `-` is no ordinary header.
 */
import { TextCache } from '@sallyport/toolbox'

/** Lower case; a `*` at the end stands for anything. Those that a gateway makes anew (`Host`, `Cookie`, …) are not here. */
export const KNOWN_HEADERS: readonly string[] = [
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'access-control-request-headers',
  'access-control-request-method',
  'access-control-request-private-network',
  'authorization',
  'baggage',
  'cache-control',
  'content-digest',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-md5',
  'content-range',
  'content-type',
  'date',
  'depth',
  'device-memory',
  'digest',
  'dnt',
  'downlink',
  'dpop',
  'dpr',
  'early-data',
  'ect',
  'from',
  'idempotency-key',
  'if',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-event-id',
  'lock-token',
  'max-forwards',
  'overwrite',
  'pragma',
  'prefer',
  'priority',
  'purpose',
  'range',
  'repr-digest',
  'rtt',
  'save-data',
  'sec-*',
  'service-worker',
  'service-worker-navigation-preload',
  'signature',
  'signature-input',
  'soapaction',
  'timeout',
  'traceparent',
  'tracestate',
  'upgrade-insecure-requests',
  'viewport-width',
  'want-content-digest',
  'want-repr-digest',
  'width',
  'x-csrf-token',
  'x-csrftoken',
  'x-request-id',
  'x-requested-with',
  'x-xsrf-token',
]

const exact = new Set(KNOWN_HEADERS.filter((name) => !name.endsWith('*')))
const beginnings = KNOWN_HEADERS.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
const known = new TextCache<boolean>()

/** Whether a header of class `pass`, by its name as it was spelled, is one of the known ones. */
export const isKnownHeader = (name: string): boolean => known.get(name) ?? known.set(name, isListed(name))

function isListed(name: string): boolean {
  const lower = name.toLowerCase()
  return exact.has(lower) || beginnings.some((beginning) => lower.startsWith(beginning))
}
