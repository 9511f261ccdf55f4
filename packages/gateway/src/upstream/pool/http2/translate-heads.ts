/** Heads between HTTP/1.1, in which the gateway writes and reads them, and HTTP/2: names, and what only one of the two has. */
import { type ResponseHead, readFieldLines } from '@sallyport/http1'
import { STATUS_CODES } from '@sallyport/toolbox/node-http'
import type { RewrittenHeaders } from '../../forward/headers/response-headers.ts'

/** What HTTP/2 has no place for (RFC 9113, section 8.2.2), and `Host`, which is `:authority`. */
const DROPPED = new Set(
  'connection host http2-settings keep-alive proxy-connection transfer-encoding upgrade'.split(' '),
)
const BASE = /^https?:\/\/[^/?#]*/i

/** The headers of a request, name, value, name, value …, from its head in HTTP/1.1, which ends with an empty line. */
export function toHttp2Request(head: string, scheme: string): string[] {
  const lineEnd = head.indexOf('\r\n')
  const [method = '', target = ''] = head.slice(0, lineEnd).split(' ')
  const fields = readFieldLines(head.slice(0, -2), lineEnd + 2)
  const regular: string[] = []
  let authority = ''
  for (let index = 0; index < fields.length; index += 2) {
    const name = (fields[index] ?? '').toLowerCase()
    const value = fields[index + 1] ?? ''
    if (name === 'host') authority = value
    if (!DROPPED.has(name)) regular.push(name, value)
  }
  const pseudo = [':method', method, ':scheme', scheme, ':authority', authority, ':path', pathOf(target)]
  return [...pseudo, ...regular]
}

/** Of an absolute target nothing but the path is said in `:path` (RFC 9113, section 8.3.1). */
function pathOf(target: string): string {
  const path = target.replace(BASE, '')
  return path.startsWith('/') || path === '*' ? path : `/${path}`
}

/** What no header may hold that goes on in HTTP/1.1. */
const STRAY = /[\0\r\n]|[^\0-\xff]/

/** The head of an answer from the headers of a stream; null where it cannot be said in HTTP/1.1. */
export function fromHttp2Response(rawHeaders: readonly string[]): ResponseHead<RewrittenHeaders> | null {
  const status = Number(rawHeaders[rawHeaders.indexOf(':status') + 1])
  const fields = fieldsOf(rawHeaders)
  if (fields === null || !Number.isInteger(status) || status < 100 || status > 999) return null
  return { status, statusText: STATUS_CODES[status] ?? '', rawHeaders: fields, derived: null }
}

/** Headers or trailers without those of the protocol itself; null where one cannot be said in HTTP/1.1. */
export function fieldsOf(rawHeaders: readonly string[]): string[] | null {
  const fields: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    const value = rawHeaders[index + 1] ?? ''
    if (name.startsWith(':')) continue
    if (STRAY.test(name) || STRAY.test(value)) return null
    fields.push(name, value)
  }
  return fields
}
