/** What `desync.test.ts` sends: requests that a gate and an origin might tell apart in different places. */
import { HOST, KEY } from './test-data-plane.ts'

/** What no vector may bring to the origin: a request for the blocked path. */
export const SMUGGLED = `GET /admin/secret HTTP/1.1\r\nHost: ${HOST}\r\nSallyport-Key: ${KEY}\r\nX-Smuggled: 1\r\n\r\n`

interface Vector {
  readonly name: string
  readonly bytes: string
}

export const BASE = [`Host: ${HOST}`, `Sallyport-Key: ${KEY}`]
export const post = (headers: readonly string[], body: string, line = 'POST / HTTP/1.1'): string =>
  [line, ...BASE, ...headers, '', body].join('\r\n')

export const TRANSFER_ENCODINGS = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding:chunked',
  'Transfer-Encoding: Chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunkedx',
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: 'chunked'",
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: chunked;foo=bar',
  'Transfer-Encoding: ,chunked',
  'Transfer-Encoding: chunked,',
  'Transfer-Encoding: cow',
  'Transfer-Encoding: identity',
  'Transfer-Encoding:',
  'Transfer-Encoding: \x0bchunked',
  'Transfer-Encoding: \x0cchunked',
  'Transfer-Encoding: chunked\x00',
  'Transfer-Encoding: \xa0chunked',
  'Transfer-Encoding: chunked\x0b',
  ' Transfer-Encoding: chunked',
  '\tTransfer-Encoding: chunked',
  'X: y\r\n Transfer-Encoding: chunked',
  'Transfer-Encoding:\r\n chunked',
  'X: y\nTransfer-Encoding: chunked',
  'X: y\rTransfer-Encoding: chunked',
  'Transfer_Encoding: chunked',
  'Transfer-Encoding\x00: chunked',
  'Transfer-Encoding\t: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'TRANSFER-ENCODING: chunked',
  'tRANSFER-ENCODING: chunked',
  'Transfer-\u00e9ncoding: chunked',
  'Foo: bar\r\n\rTransfer-Encoding: chunked',
  ': chunked\r\nTransfer-Encoding: chunked',
  'Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked',
  'Connection: keep-alive, Content-Length\r\nTransfer-Encoding: chunked',
]

export const LENGTHS = [
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: +5',
  'Content-Length: -1',
  'Content-Length: 5 ',
  'Content-Length: 0x5',
  'Content-Length: 5e0',
  'Content-Length: 5.0',
  'Content-Length: 05',
  'Content-Length: 0_5',
  'Content-Length: 5, 5',
  'Content-Length: 5,0',
  'Content-Length: ٥',
  'Content-Length: 5\x00',
  'Content-Length: "5"',
  'Content-Length:',
  'Content-Length: 99999999999999999999',
  'Content-Length: 18446744073709551621',
  'Content-Length : 5',
  'Content-Length\t: 5',
  ' Content-Length: 5',
  'Content_Length: 5',
  'Content-Length: 5\r\nContent-Length: 0',
  'Content-Length: 0\r\nContent-Length: 5',
  'Content-Length: 5\r\nContent-Length: 5',
  'content-length: 5\r\nCONTENT-LENGTH: 6',
  'Content-Length:\r\n 5',
  'Content-Length: 5\r\n 0',
  'X: y\nContent-Length: 5',
  'X: y\rContent-Length: 5',
  'Connection: Content-Length\r\nContent-Length: 5',
]

export const CHUNKED_BODIES = [
  '0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  '5;ext=1\r\nhello\r\n0\r\n\r\n',
  '5;ext="a\r\nb"\r\nhello\r\n0\r\n\r\n',
  '5;\nhello\r\n0\r\n\r\n',
  '5\nhello\n0\n\n',
  '5\r\nhello\n0\r\n\r\n',
  '5\r\nhelloX\r\n0\r\n\r\n',
  '0x5\r\nhello\r\n0\r\n\r\n',
  '+5\r\nhello\r\n0\r\n\r\n',
  '-5\r\nhello\r\n0\r\n\r\n',
  ' 5\r\nhello\r\n0\r\n\r\n',
  '5 \r\nhello\r\n0\r\n\r\n',
  '5\r\r\nhello\r\n0\r\n\r\n',
  '05\r\nhello\r\n00\r\n\r\n',
  '5\x00\r\nhello\r\n0\r\n\r\n',
  'g\r\nhello\r\n0\r\n\r\n',
  '\r\nhello\r\n0\r\n\r\n',
  'ffffffffffffffff5\r\nhello\r\n0\r\n\r\n',
  '100000000000000005\r\nhello\r\n0\r\n\r\n',
  '5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n',
  '5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n',
  '5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n',
  '5\r\nhello\r\n0\r\nHost: evil\r\n\r\n',
  '5\r\nhello\r\n0\r\n: x\r\n\r\n',
  '5\r\nhello\r\n0\r\nX y: z\r\n\r\n',
  '5\r\nhello\r\n0\r\nX: y\nZ: w\r\n\r\n',
  '5\r\nhello\r\n0\r\n folded\r\n\r\n',
  '5\r\nhello\r\n0\n\r\n',
  '5\r\nhello\r\n0\r\n\n',
  '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n',
  `5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
]

const LINES = [
  'GET  / HTTP/1.1',
  'GET /\tx HTTP/1.1',
  'GET / x HTTP/1.1',
  'GET / HTTP/1.1 ',
  'GET / HTTP/1.2',
  'GET / HTTP/2.0',
  'GET / HTTP/0.9',
  'GET / HTTP/01.1',
  'GET / HTTP/1.01',
  'GET / http/1.1',
  'GET / HTTP/1.1\x00',
  'GET / HTTPS/1.1',
  'GET /',
  ' GET / HTTP/1.1',
  'GET\t/ HTTP/1.1',
  'GET\x0b/ HTTP/1.1',
  'G\x00ET / HTTP/1.1',
  'GET /\x00 HTTP/1.1',
  'GET /\x01 HTTP/1.1',
  'GET /\x7f HTTP/1.1',
  'GET /#fragment HTTP/1.1',
  'GET /a#/../admin/secret HTTP/1.1',
  'GET admin/secret HTTP/1.1',
  'GET ?x HTTP/1.1',
  'GET * HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'CONNECT internal:80 HTTP/1.1',
  'CONNECT / HTTP/1.1',
  'PRI * HTTP/2.0',
  'GET http://evil.example/ HTTP/1.1',
  'GET http://evil.example/admin/secret HTTP/1.1',
  `GET http://${HOST}@evil.example/ HTTP/1.1`,
  `GET http://${HOST}:80@evil.example/ HTTP/1.1`,
  `GET http://${HOST}/admin/secret HTTP/1.1`,
  `GET HTTP://${HOST.toUpperCase()}/admin/secret HTTP/1.1`,
  `GET https://${HOST}/%61dmin/secret HTTP/1.1`,
  `GET http://${HOST} HTTP/1.1`,
  `GET //${HOST}/admin/secret HTTP/1.1`,
  'GET /admin/secret HTTP/1.1',
  'GET /%61dmin/secret HTTP/1.1',
  'GET /%2561dmin/secret HTTP/1.1',
  'GET /x/../admin/secret HTTP/1.1',
  'GET /x/%2e%2e/admin/secret HTTP/1.1',
  'GET //admin/secret HTTP/1.1',
  'GET /\\admin\\secret HTTP/1.1',
  'GET /admin;x/secret HTTP/1.1',
  'GET /admin%2fsecret HTTP/1.1',
  'GET /ADMIN/secret HTTP/1.1',
  'GET /.;/admin/secret HTTP/1.1',
  'GET /./admin/secret HTTP/1.1',
  'GET /%c0%afadmin/secret HTTP/1.1',
  'GET /admin%00/secret HTTP/1.1',
  'POST /admin/secret HTTP/1.1',
  'get /admin/secret HTTP/1.1',
  'FOO / HTTP/1.1',
  'GET /a%0d%0aX-Injected:%201 HTTP/1.1',
]

export const HEADER_LINES = [
  'X-A: b\rX-B: c',
  'X-A: b\nX-B: c',
  'X-A: b\n\nGET /admin/secret HTTP/1.1',
  'X-A: b\r\r\nX-B: c',
  'X-A: b\x00c',
  'X-A: b\x01c',
  'X-A: b\x7fc',
  'X A: b',
  'X-A : b',
  'X-A',
  ': b',
  '(X): b',
  'X-A\x00: b',
  'X-A: b\r\n  folded',
  'X-A: b\r\n\tfolded',
  ' X-A: b',
  `Host: ${HOST}`,
  'Host: evil.example',
  'host: evil.example',
  'Host:',
  'Host : evil.example',
  'Connection: Host',
  'Connection: Sallyport-Key, X-Forwarded-For',
  'Connection: close, Content-Length',
  'Expect: 200-ok',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Upgrade: WebSocket\r\nConnection: Upgrade\r\nContent-Length: 5',
  'Upgrade: websocket\r\nConnection: Upgrade\r\nTransfer-Encoding: chunked',
  'X-HTTP-Method-Override: PUT',
  'X-Original-URL: /admin/secret',
  'X-Rewrite-URL: /admin/secret',
  'Forwarded: for=1.1.1.1',
  'X-Forwarded-Host: evil.example',
  'x_forwarded_host: evil.example',
  'Sallyport-Assertion: forged',
  'SALLYPORT_ASSERTION: forged',
  'Sallyport-Key: rk_live_other',
  'sallyport_key: x',
  'Cookie: __Host-sallyport=x',
  `X-Long: ${'a'.repeat(70_000)}`,
  Array.from({ length: 250 }, (_, index) => `X-${index}: 1`).join('\r\n'),
]

const ENDINGS = ['\n', '\r', '\n\r', '\r\n\n', '\n\r\n', '\r\r\n', '\x00\r\n']

export function* vectors(): Generator<Vector> {
  for (const [index, encoding] of TRANSFER_ENCODINGS.entries()) {
    yield { name: `te ${index}`, bytes: post([encoding], `0\r\n\r\n${SMUGGLED}`) }
    yield {
      name: `te ${index} then length`,
      bytes: post([encoding, 'Content-Length: 5'], `0\r\n\r\n${SMUGGLED}`),
    }
    yield {
      name: `length then te ${index}`,
      bytes: post([`Content-Length: ${SMUGGLED.length + 5}`, encoding], `0\r\n\r\n${SMUGGLED}`),
    }
    yield { name: `te ${index} in 1.0`, bytes: post([encoding], `0\r\n\r\n${SMUGGLED}`, 'POST / HTTP/1.0') }
  }
  for (const [index, length] of LENGTHS.entries()) {
    yield { name: `length ${index}`, bytes: post([length], `hello${SMUGGLED}`) }
    yield { name: `length ${index} on GET`, bytes: post([length], `hello${SMUGGLED}`, 'GET / HTTP/1.1') }
  }
  for (const [index, body] of CHUNKED_BODIES.entries())
    yield { name: `chunks ${index}`, bytes: post(['Transfer-Encoding: chunked'], body + SMUGGLED) }
  for (const [index, line] of LINES.entries())
    yield { name: `line ${index}`, bytes: post([], SMUGGLED, line) }
  for (const [index, header] of HEADER_LINES.entries()) {
    yield { name: `header ${index}`, bytes: post([header], SMUGGLED, 'GET / HTTP/1.1') }
    const reversed = ['GET / HTTP/1.1', header, ...BASE, '', SMUGGLED].join('\r\n')
    yield { name: `header ${index} first`, bytes: reversed }
  }
  for (const [index, ending] of ENDINGS.entries())
    yield {
      name: `ending ${index}`,
      bytes: ['GET / HTTP/1.1', ...BASE].join(ending) + ending + ending + SMUGGLED,
    }
}
