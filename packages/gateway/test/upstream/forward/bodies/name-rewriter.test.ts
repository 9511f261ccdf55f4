/** Host names in a text: whole hosts of the own group, wherever the text is cut. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NameRewriter } from '../../../../src/upstream/forward/bodies/name-rewriter.ts'

const GROUP = 'app.gate.example'
const at = (label: string, host: string, port = 443, scheme: 'http' | 'https' = 'https') => ({
  gatedName: `${label}.${GROUP}`,
  origin: { scheme, host, port },
})
const SITE = {
  origin: at('shop', 'shop.example.com').origin,
  group: {
    gatedName: GROUP,
    sites: [
      at('api', 'api.example.com'),
      at('dev', 'dev.example.com', 8080, 'http'),
      at('old', 'old.api.example.com'),
      at('shop', 'shop.example.com'),
    ],
  },
}
const TLS = { secure: true, host: `shop.${GROUP}`, hostPort: '' }
const PLAIN = { secure: false, host: `shop.${GROUP}`, hostPort: '7080' }

function rewrite(text: string, request = TLS, cuts: readonly number[] = [], site = SITE): string {
  const rewriter = new NameRewriter(request, site)
  const bytes = Buffer.from(text)
  const pieces: Buffer[] = []
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    pieces.push(rewriter.push(bytes.subarray(from, Math.max(from, cut))))
    from = Math.max(from, cut)
  }
  return Buffer.concat([...pieces, rewriter.end()]).toString()
}

const REWRITTEN: readonly (readonly [text: string, tls: string, plain: string])[] = [
  [
    '<a href="https://api.example.com/a?b">x</a>',
    `<a href="https://api.${GROUP}/a?b">x</a>`,
    `<a href="http://api.${GROUP}:7080/a?b">x</a>`,
  ],
  ["src='//API.example.com/x.js'", `src='//api.${GROUP}/x.js'`, `src='//api.${GROUP}:7080/x.js'`],
  ['url(//api.example.com)', `url(//api.${GROUP})`, `url(//api.${GROUP}:7080)`],
  [
    '{"u":"https:\\/\\/api.example.com\\/v1"}',
    `{"u":"https:\\/\\/api.${GROUP}\\/v1"}`,
    `{"u":"http:\\/\\/api.${GROUP}:7080\\/v1"}`,
  ],
  [
    '"https:\\u002F\\u002Fapi.example.com\\u002Fv1"',
    `"https:\\u002F\\u002Fapi.${GROUP}\\u002Fv1"`,
    `"http:\\u002F\\u002Fapi.${GROUP}:7080\\u002Fv1"`,
  ],
  [
    '?redirect_uri=http%3A%2F%2Fapi.example.com%2Fback',
    `?redirect_uri=https%3A%2F%2Fapi.${GROUP}%2Fback`,
    `?redirect_uri=http%3A%2F%2Fapi.${GROUP}%3A7080%2Fback`,
  ],
  [
    'new WebSocket("wss://api.example.com")',
    `new WebSocket("wss://api.${GROUP}")`,
    `new WebSocket("ws://api.${GROUP}:7080")`,
  ],
  ['const HOST="api.example.com";', `const HOST="api.${GROUP}";`, `const HOST="api.${GROUP}:7080";`],
  ['https://dev.example.com:8080/', `https://dev.${GROUP}/`, `http://dev.${GROUP}:7080/`],
  [
    'api.example.com:443 or old.api.example.com.',
    `api.${GROUP} or old.${GROUP}.`,
    `api.${GROUP}:7080 or old.${GROUP}:7080.`,
  ],
]

test('a host of the group is rewritten in every form in which text names one', () => {
  for (const [text, tls, plain] of REWRITTEN) {
    assert.equal(rewrite(text), tls)
    assert.equal(rewrite(text, PLAIN), plain)
  }
})

const KEPT = [
  'https://api.example.com.evil.example/',
  'https://evil-api.example.com/ https://evil.api.example.com/ https://xapi.example.com',
  'https://api.example.com@evil.example/ https://api.example.com:443@evil.example/ https://api.example.com:pass@evil.example/',
  'https://api.example.com:8443/ https://api.example.com:44300 https://dev.example.com/ http://dev.example.com',
  'https://api.example.company/ https://api.example.com-x/ https://api.example.com_x/',
  'mail@api.example.com /path/api.example.com ../api.example.com a%40api.example.com',
  'example.com www.example.com ftp://api.example.com/ xhttps://api.example.com',
  'https%3A%2F%2Fapi.example.com%40evil.example',
  'https://apí.example.com/ éapi.example.com',
  'api.example.com é'.replace('com ', 'comé'),
]

test('what is not just such a host stays, byte for byte', () => {
  for (const text of KEPT) assert.equal(rewrite(text), text)
})

test('wherever a text is cut, it comes to the same', () => {
  const part = fc.oneof(
    fc.constantFrom(
      ...REWRITTEN.map(([text]) => text),
      ...KEPT,
      ' ',
      'https://',
      '//',
      ':',
      '.',
      '\\/',
      'api.',
      'example.com',
    ),
    fc.string({ maxLength: 5 }),
    fc.stringMatching(/^[a-z]{0,400}$/),
  )
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 12 }),
      fc.array(fc.nat(3_000), { maxLength: 30 }),
      (parts, cuts) => {
        const text = parts.join('')
        const length = Buffer.byteLength(text)
        const sorted = cuts.map((cut) => Math.min(cut, length)).toSorted((one, other) => one - other)
        assert.equal(rewrite(text, PLAIN, sorted), rewrite(text, PLAIN))
      },
    ),
    { numRuns: 2_000 },
  )
  for (const [text, , plain] of REWRITTEN)
    assert.equal(rewrite(text, PLAIN, Array.from(Buffer.from(text).keys())), plain, 'byte by byte')
})

const MANY = {
  ...SITE,
  group: { ...SITE.group, sites: [at('*', '*.example.com'), at('dev', 'dev.example.com', 8080, 'http')] },
}
const OF_WILDCARD: readonly (readonly [text: string, plain: string])[] = [
  ['"https://a-1.example.com/x"', `"http://a-1.${GROUP}:7080/x"`],
  ['"https:\\/\\/a.example.com"', `"http:\\/\\/a.${GROUP}:7080"`],
  ['"\\u002F\\u002fa.example.com\\u002f"', `"\\u002F\\u002fa.${GROUP}:7080\\u002f"`],
  ['https%3A%2F%2Fa.example.com%2F', `http%3A%2F%2Fa.${GROUP}%3A7080%2F`],
  ['(A.example.com)', `(a.${GROUP}:7080)`],
  ['x-shop.example.com', `x-shop.${GROUP}:7080`],
  ['http://dev.example.com:8080', `http://dev.${GROUP}:7080`],
]
const NOT_OF_WILDCARD = [
  'https://a.b.example.com/ https://example.com/ *.example.com .example.com',
  'https://dev.example.com/ https://-a.example.com/ https://a_b.example.com/ me@a.example.com',
  'https://a.example.com.evil.example/ https://a.example.com:8443/ path%2Fa.example.com /p/a.example.com',
  `https://${'a'.repeat(64)}.example.com/`,
]

test('hosts of a wildcard are rewritten, and none that it does not stand for, wherever the text is cut', () => {
  for (const [text, plain] of OF_WILDCARD) {
    assert.equal(rewrite(text, PLAIN, [], MANY), plain)
    assert.equal(rewrite(text, PLAIN, Array.from(Buffer.from(text).keys()), MANY), plain, 'byte by byte')
  }
  for (const text of NOT_OF_WILDCARD) assert.equal(rewrite(text, PLAIN, [], MANY), text)
  const part = fc.oneof(
    fc.constantFrom(
      ...OF_WILDCARD.map(([text]) => text),
      ...NOT_OF_WILDCARD,
      ' ',
      '.',
      '.example.com',
      '%2F',
      '\\u002f',
    ),
    fc.stringMatching(/^[a-z-]{0,100}$/),
  )
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 12 }),
      fc.array(fc.nat(2_000), { maxLength: 30 }),
      (parts, cuts) => {
        const text = parts.join('')
        const sorted = cuts.map((cut) => Math.min(cut, text.length)).toSorted((one, other) => one - other)
        assert.equal(rewrite(text, PLAIN, sorted, MANY), rewrite(text, PLAIN, [], MANY))
      },
    ),
    { numRuns: 2_000 },
  )
})

test('bytes that are no text come out as they were, and little is held back', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (pieces) => {
      const rewriter = new NameRewriter(TLS, SITE)
      const out = [...pieces.map((piece) => rewriter.push(Buffer.from(piece))), rewriter.end()]
      assert.deepEqual(Buffer.concat(out), Buffer.concat(pieces))
    }),
  )
  const rewriter = new NameRewriter(TLS, SITE)
  assert.equal(rewriter.push(Buffer.from('{"a":1}\n')).toString(), '{"a":1}\n', 'a line is not held')
  const long = rewriter.push(Buffer.alloc(10_000, 'a'))
  assert.ok(long.length > 9_800, `${long.length}`)
})
