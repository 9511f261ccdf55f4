import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { blockOf } from '../../src/headers/header-block.ts'
import { headerEvidenceOf } from '../../src/headers/header-signs.ts'

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15'

const evidence = (
  sent: readonly string[],
  given: { secure?: boolean; httpVersion?: string; method?: string } = {},
) => {
  const headers = blockOf(sent)
  const { secure = true, httpVersion = '1.1', method = 'GET' } = given
  return headerEvidenceOf({
    ...{ headers, rawHeaders: headers.rawHeaders, secure, httpVersion, method },
    websocket: false,
  })
}

const CHROME_NAVIGATION = [
  ...['Host', 'shop.example', 'Connection', 'keep-alive'],
  ...['sec-ch-ua', '"Not)A;Brand";v="8", "Chromium";v="138", "Google Chrome";v="138"'],
  ...['Upgrade-Insecure-Requests', '1', 'User-Agent', CHROME, 'Accept', 'text/html,*/*;q=0.8'],
  ...[
    'Sec-Fetch-Site',
    'none',
    'Sec-Fetch-Mode',
    'navigate',
    'Sec-Fetch-User',
    '?1',
    'Sec-Fetch-Dest',
    'document',
  ],
  ...['Accept-Encoding', 'gzip, deflate, br', 'Accept-Language', 'en-GB,en;q=0.9'],
]
const FIREFOX_IMAGE = [
  ...['Host', 'shop.example', 'User-Agent', FIREFOX, 'Accept', 'image/avif,image/webp,*/*;q=0.8'],
  ...['Accept-Language', 'en-GB', 'Accept-Encoding', 'gzip, deflate, br', 'Referer', 'https://shop.example/'],
  ...['Sec-Fetch-Dest', 'image', 'Sec-Fetch-Mode', 'no-cors', 'Sec-Fetch-Site', 'same-origin'],
]
const SAFARI_SCRIPT_CALL = [
  ...['Host', 'shop.example', 'Accept', '*/*', 'Sec-Fetch-Site', 'same-origin', 'Accept-Language', 'en-GB'],
  ...['Accept-Encoding', 'gzip, deflate, br', 'Sec-Fetch-Mode', 'cors', 'User-Agent', SAFARI],
  ...['Referer', 'https://shop.example/', 'Sec-Fetch-Dest', 'empty'],
]

test('browsers as they are show nothing', () => {
  assert.deepEqual(evidence(CHROME_NAVIGATION), {
    ...{ isSecure: true, role: 'page', isForeign: false, isBrowser: true, signs: [] },
  })
  assert.deepEqual(evidence(FIREFOX_IMAGE), {
    ...{ isSecure: true, role: 'part', isForeign: false, isBrowser: true, signs: [] },
  })
  assert.deepEqual(evidence(SAFARI_SCRIPT_CALL), {
    ...{ isSecure: true, role: 'call', isForeign: false, isBrowser: true, signs: [] },
  })
})

const without = (sent: readonly string[], ...names: string[]): string[] =>
  sent.flatMap((name, index) =>
    index % 2 === 1 || names.includes(name.toLowerCase()) ? [] : [name, sent[index + 1] ?? ''],
  )

test('what a browser of that name always sends is missed, but over plain HTTP where it does not send it', () => {
  const bare = without(
    CHROME_NAVIGATION,
    'sec-fetch-site',
    'sec-fetch-mode',
    'sec-fetch-user',
    'sec-fetch-dest',
  )
  assert.deepEqual(evidence(bare).signs, ['incomplete'])
  assert.deepEqual(evidence(bare, { secure: false }).signs, [])
  for (const name of ['accept', 'accept-language', 'accept-encoding'])
    assert.deepEqual(
      evidence(without(CHROME_NAVIGATION, name), { secure: false }).signs,
      ['incomplete'],
      name,
    )
  assert.deepEqual(evidence(bare, { method: 'OPTIONS' }).signs, [])
})

test('the order of a browser, its other words, its age and its protocol count', () => {
  const asFirefox = CHROME_NAVIGATION.map((text) => (text === CHROME ? FIREFOX : text))
  assert.deepEqual(evidence(asFirefox).signs, ['contradiction', 'order'])
  const newer = CHROME_NAVIGATION.map((text) => text.replace('"Chromium";v="138"', '"Chromium";v="120"'))
  assert.deepEqual(evidence(newer).signs, ['contradiction'])
  const old = CHROME_NAVIGATION.map((text) => text.replace('Chrome/138.0.0.0', 'Chrome/41.0.2228.0'))
  assert.deepEqual(evidence(without(old, 'sec-ch-ua')).signs, ['outdated'])
  assert.deepEqual(evidence(CHROME_NAVIGATION, { httpVersion: '1.0' }).signs, ['http10'])
  assert.deepEqual(evidence(['Host', 'shop.example', 'Accept', '*/*']).signs, ['nameless'])
})

test('a client that does not call itself a browser is asked for nothing of one', () => {
  const { isBrowser, signs, role } = evidence([
    'Host',
    'shop.example',
    'User-Agent',
    'curl/8.5.0',
    'Accept',
    '*/*',
  ])
  assert.deepEqual([isBrowser, signs, role], [false, [], 'page'])
})

test('what a page of another site causes is foreign, and what leads here from one is not', () => {
  const change = (site: string, mode: string): string[] =>
    CHROME_NAVIGATION.map((text) => (text === 'none' ? site : text === 'navigate' ? mode : text))
  assert.equal(evidence(change('cross-site', 'no-cors')).isForeign, true)
  assert.equal(evidence(change('cross-site', 'navigate')).isForeign, false)
  assert.equal(evidence(change('same-site', 'cors')).isForeign, false)
})

test('any headers are read, in any spelling, and the same block says the same again', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'ACCEPT',
      'sec-fetch-MODE',
      'Sec-Ch-Ua',
      'User-Agent',
      'accept-language',
      'Accept-Encoding',
    ),
    fc.string({ maxLength: 40 }),
  )
  const value = fc.oneof(
    fc.constantFrom(CHROME, FIREFOX, SAFARI, 'navigate', 'cross-site'),
    fc.string({ maxLength: 600 }),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 12 }), fc.boolean(), (pairs, secure) => {
      const headers = blockOf(pairs.flat())
      const request = {
        ...{ headers, rawHeaders: headers.rawHeaders, secure, httpVersion: '1.1', method: 'GET' },
        websocket: false,
      }
      const first = headerEvidenceOf(request)
      assert.equal(headerEvidenceOf(request), first)
      assert.equal(headerEvidenceOf({ ...request, secure: !secure }).isSecure, !secure)
    }),
  )
})
