/**
 * The cost of what the gateway makes of a request's head, and of an answer's, grows with its length, and no faster: each
 * parser is given the texts that it might find hardest, and twice as much of them. What counts connections, chunks and frames
 * is tested with sockets elsewhere.
 */
import { BodyReader, isToken, parseRequestHead, readFieldLines, readResponseHead } from '@sallyport/http1'
import { BlockMatcher, canonicalPath, interpretationsOf, isAmbiguous } from '@sallyport/policy'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { isLinear as isLinearOn, type Make, repeat } from '../../../../test/support/growth.ts'
import { findCookie, withoutGateCookies } from '../../src/credentials/cookies.ts'
import { returnPathOf } from '../../src/credentials/sign-in-path.ts'
import type { ReceivedRequest } from '../../src/exchange/exchange.ts'
import { judgedRequest } from '../../src/exchange/judged-request.ts'
import { readAuthorization } from '../../src/headers/authorization.ts'
import { blockOf } from '../../src/headers/header-block.ts'
import { namesInConnection } from '../../src/headers/header-names.ts'
import { maskGateTarget, maskKeys, maskLinks } from '../../src/record/mask-links.ts'
import { maskQueryValues } from '../../src/record/redact.ts'
import { guessHead } from '../../src/serve/guess-head.ts'
import { NameRewriter } from '../../src/upstream/forward/bodies/name-rewriter.ts'
import { FrameCounter } from '../../src/upstream/forward/frame-counter.ts'
import { toGatedCookie } from '../../src/upstream/forward/headers/gated-cookie.ts'
import { toGatedPolicy } from '../../src/upstream/forward/headers/gated-policy.ts'
import {
  toGatedUrl,
  toOriginDestination,
  toOriginUrl,
} from '../../src/upstream/forward/headers/host-rewriting.ts'
import { toGatedQuery, toOriginTarget } from '../../src/upstream/forward/headers/redirect-uris.ts'
import { responseHeaders } from '../../src/upstream/forward/headers/response-headers.ts'

/** Texts that are hard for many a parser: one character, separators, almost matches, escapes that end too soon. */
const HARD: Readonly<Record<string, Make>> = {
  letters: repeat('a'),
  'letters and an end that is none': repeat('a', '', '\x01'),
  blanks: repeat(' ', 'a', 'b'),
  tabs: repeat('\t', 'a', 'b'),
  commas: repeat(','),
  semicolons: repeat(';'),
  colons: repeat(':'),
  slashes: repeat('/'),
  'slashes and dots': repeat('/.'),
  'steps up': repeat('/..'),
  'steps down and up': repeat('/a/..'),
  dots: repeat('.'),
  backslashes: repeat('\\'),
  percent: repeat('%'),
  'percent, almost': repeat('%2'),
  'escaped slashes': repeat('%2f'),
  'escaped twice': repeat('%252f'),
  'escaped steps': repeat('%2e%2e/'),
  'other letters': repeat('%c4%b0'),
  'letters that are too long': repeat('%c0%af'),
  'question marks': repeat('?'),
  ampersands: repeat('&a=1', '/?'),
  names: repeat('&a', '/?'),
  'equal signs': repeat('=', '/?'),
  parameters: repeat('/a;b=c'),
  streams: repeat('/a:$b'),
  'trailing spaces': repeat('%20', '/a', '/'),
  'trailing dots': repeat('.', '/a', '/'),
  cookies: repeat('a=b; '),
  'session cookies': repeat('__Host-sallyport=x; '),
  'almost session cookies': repeat('__Host-sallypor; '),
  'quotation marks': repeat('"'),
}

const isLinear = (name: string, read: (text: string) => unknown, texts = HARD): void =>
  isLinearOn(name, read, texts)

const ORIGIN = { scheme: 'https', host: 'origin.example', port: 443 } as const
const SITE = { origin: ORIGIN }
const GROUPED = {
  ...SITE,
  group: { gatedName: 'gate.localhost', sites: [{ gatedName: 'b.gate.localhost', origin: ORIGIN }] },
}
const REQUEST = { secure: true, host: 'app.gate.localhost', hostPort: '' }

const NO_HEADERS = blockOf([])
const NO_REQUEST: ReceivedRequest = {
  ...REQUEST,
  method: 'GET',
  target: '/',
  headers: NO_HEADERS,
  rawHeaders: [],
  httpVersion: '1.1',
  clientAddress: '127.0.0.1',
  bodyBytes: 0,
  websocket: false,
  key: '',
  cookies: [],
  accept: '',
}
const NOBODY = { onData: () => undefined, onEnd: () => undefined }

const rule = blockRule('r', '/admin', { methods: ['GET'] })
const matcher = new BlockMatcher([rule, { ...rule, id: 's', pathPrefix: '/a/b/c' }])

isLinear(
  'guessHead',
  (text) => {
    const bytes = Buffer.from(`GET / HTTP/1.1\r\n${text}`, 'latin1')
    return guessHead(bytes, bytes.length)
  },
  {
    ...HARD,
    'empty lines': repeat('\n'),
    keys: repeat('sallyport-key: a\n'),
    'keys of blanks': repeat(' ', 'sallyport-key:'),
  },
)
isLinear('the readings of a target', interpretationsOf)
isLinear('block rules', (target) => matcher.match(['GET'], target, 0))
isLinear('whether a target is ambiguous', isAmbiguous)
isLinear('the path that is recorded', canonicalPath)
isLinear('the values of a query, masked', maskQueryValues)
isLinear('the token or code of a link, masked', maskLinks)
isLinear('a target of the gate itself, masked', maskGateTarget)
isLinear('where to come back to after signing in', returnPathOf)
isLinear('a name', isToken)
isLinear('the names in Connection', namesInConnection)
isLinear("the Cookie header, without the gate's", withoutGateCookies)
isLinear('a cookie that is looked for', (text) => findCookie([text], '__Host-sallyport'))
isLinear('a cookie that is set', (text) => toGatedCookie(text, 'app.gate.localhost', SITE), {
  ...HARD,
  domains: repeat('; Domain=origin.example', 'a=b'),
  'almost domains': repeat(';d o m a i', 'a=b'),
  'letters of domains': repeat('-d-o-m-a-i-n', 'a=b;'),
})
isLinear('an address in an answer', (text) => toGatedUrl(text, REQUEST, SITE))
isLinear('where a request says that it comes from', (text) => toOriginUrl(text, REQUEST, SITE))
isLinear('a policy of a page', (text) => toGatedPolicy(text, REQUEST, GROUPED), {
  ...HARD,
  sources: repeat(' origin.example', 'script-src'),
  wildcards: repeat(' *.example', 'script-src'),
  'almost sources': repeat(' origin.example.', 'script-src'),
  'labels without an end': repeat('a.', 'script-src ', '!'),
})
isLinear(
  'the text of an answer',
  (text) => {
    const rewriter = new NameRewriter(REQUEST, GROUPED)
    for (let at = 0; at < text.length; at += 1_000) rewriter.push(Buffer.from(text.slice(at, at + 1_000)))
    rewriter.end()
  },
  {
    ...HARD,
    names: repeat('origin.example '),
    'names that go on': repeat('origin.example.'),
    'names without an end': repeat('origin.example'),
    addresses: repeat('https:\\/\\/origin.example\\/'),
    'almost addresses': repeat('https:\\/\\/'),
  },
)
const REDIRECTS = {
  ...HARD,
  'addresses to come back to': repeat('&redirect_uri=http%3a%2f%2fapp.gate.localhost', '/?'),
  'almost such addresses': repeat('&redirect_uri=http%3a%2f%2f', '/?'),
  'letters of their hosts': repeat('a', '/?redirect_uri=http://', '!'),
}
isLinear('where a target says to come back to', (text) => toOriginTarget(text, REQUEST, GROUPED), REDIRECTS)
isLinear('where an answer says to come back to', (text) => toGatedQuery(text, REQUEST, GROUPED), REDIRECTS)
isLinear('a destination', (text) => toOriginDestination(text, REQUEST, SITE))
isLinear(
  'a request head',
  (text) => parseRequestHead(`GET /${text} HTTP/1.1\r\nhost: a\r\nx: ${text}`, null, blockOf),
  {
    ...HARD,
    lines: repeat('\r\na: b', 'a'),
    'lines without a colon': repeat('\r\na', 'a'),
    'empty values': repeat('\r\na:', 'a'),
    'lines of colons': repeat('\r\n:', 'a'),
    'line ends': repeat('\r\n', 'a'),
    'half line ends': repeat('\r', 'a'),
  },
)
isLinear('the head of an answer', (text) => readResponseHead(`HTTP/1.1 200 ${text}\r\nx: ${text}`), {
  ...HARD,
  lines: repeat('\r\na: b', 'a'),
  'cookies that are set': repeat('\r\nset-cookie: a=b; path=/', 'a'),
  'line ends': repeat('\r\n', 'a'),
})
isLinear('trailers', (text) => readFieldLines(text, 0), {
  lines: repeat('a: b\r\n'),
  'one line': repeat('a', 'a:'),
  'blanks after the value': repeat(' ', 'a: b'),
  'many blanks, and values': repeat('a:         b          \r\n'),
})

/** The headers that name paths and methods, with a text as the value of each, and as the target. */
const judged = (target: string, value: string): unknown => {
  const names = [
    'X-Original-URL',
    'X-HTTP-Method-Override',
    'X-Forwarded-Prefix-Path',
    'X-Prefix',
    'Destination',
  ]
  const head = `GET /${target} HTTP/1.1\r\nHost: a${names.map((name) => `\r\n${name}: ${value}`).join('')}`
  const { headers, ...line } = parseRequestHead(head, null, blockOf)
  return judgedRequest({ ...NO_REQUEST, ...line, headers, rawHeaders: headers.rawHeaders })
}
isLinear('headers that name paths and methods', (text) => judged(text, text))
isLinear('a prefix that is almost in the path', (text) => judged(text, `${text.slice(0, text.length / 2)}b`))
const ANSWERED = ['Connection', 'Clear-Site-Data', 'Location', 'Refresh', 'Link', 'Set-Cookie']
isLinear(
  'headers of an answer',
  (text) => {
    const { head } = readResponseHead(
      ['HTTP/1.1 200 OK', ...ANSWERED.map((name) => `${name}: ${text}`)].join('\r\n'),
    )
    responseHeaders(head, NO_REQUEST, SITE)
  },
  {
    ...HARD,
    links: repeat('<https://a.example/>,'),
    'links that do not end': repeat('<'),
    'a link that ends late': repeat('<', '', '>'),
    'quotes that do not end': repeat('\\"', '"'),
    'a time that does not end': repeat('1'),
    'blanks after a time': repeat(' ', '1', '; url=x'),
    'slashes before a host': repeat('/', 'https:', 'a'),
    'a host that does not end': repeat('a.', 'https://'),
  },
)

const KEYS: Readonly<Record<string, Make>> = {
  ...HARD,
  'what begins as a key': repeat('rk_live_'),
  'what is too long for a key': repeat(`rk_live_${'a'.repeat(100)}`),
  'what is too short for one': repeat(`rk_live_${'a'.repeat(24)}`),
  'base64 of those': repeat(Buffer.from(`rk_live_${'a'.repeat(100)}`).toString('base64')),
  'base64 in pieces': repeat('cmtfbGl2ZV9h, '),
}
isLinear('the keys in an Authorization', (text) => readAuthorization(`Basic ${text}`), KEYS)
isLinear('the keys in a target', maskKeys, KEYS)

const FRAMES: Readonly<Record<string, Make>> = {
  'empty frames': repeat('\x89\x80abcd'),
  'frames of one byte': repeat('\x81\x81abcdx'),
  'headers alone': repeat('\x82\xff'),
}
isLinear('the frames of a WebSocket', (text) => new FrameCounter().count(Buffer.from(text, 'latin1')), FRAMES)
isLinear(
  'the frames of a WebSocket, byte by byte',
  (text) => {
    const counter = new FrameCounter()
    for (const byte of Buffer.from(text, 'latin1')) counter.count(Buffer.of(byte))
  },
  FRAMES,
)
isLinear(
  'a body in chunks',
  (text) => {
    const reader = new BodyReader({
      sizeLine: null,
      stray: /\0/,
      trailerBytesMax: 1e6,
      extensionBytesMax: 1e6,
    })
    reader.begin('chunked')
    const bytes = Buffer.from(text, 'latin1')
    for (let at = 0; at >= 0 && at < bytes.length; ) at = reader.step(bytes, at, NOBODY)
  },
  {
    'one byte each': repeat('1\r\nx\r\n'),
    'extensions of one': repeat(';a', '1', '\r\nx\r\n'),
    'extensions of each': repeat('1;a=b\r\nx\r\n'),
    trailers: repeat('a: b\r\n', '0\r\n', '\r\n'),
  },
)
