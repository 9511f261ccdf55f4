/** Cookies between an origin and a browser, whatever they look like: each stays with its own gated name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isGateCookie, withoutGateCookies } from '../../../../src/credentials/cookies.ts'
import { toGatedCookie } from '../../../../src/upstream/forward/headers/gated-cookie.ts'

const GATED = 'shop.gate.example'
const ORIGIN = { scheme: 'https', host: 'www.shop.test', port: 443 } as const
const through = (value: string) => toGatedCookie(value, GATED, { origin: ORIGIN })

/** Readers of a domain, from the letter of RFC 6265 to the most forgiving that a client may have. */
const READERS: readonly ((value: string) => string | undefined)[] = [
  (value) => lastDomain(value, /^[ \t]+|[ \t]+$/g),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a forgiving reader trims
  (value) => lastDomain(value, /[\s\x00-\x20"'\x7f-\xa0]+/g),
  (value) => lastDomain(decodeLeniently(value), /[^a-z.=-]+/gi),
  (value) =>
    /;[\s=",]*domain\s*=\s*"?\.*([^;,"\s]*?)\.*(?:[;,"\s]|$)/i.exec(value.slice(value.indexOf(';')))?.[1],
]

function lastDomain(value: string, trimmed: RegExp): string | undefined {
  const attributes = value.split(';').slice(1)
  return attributes
    .map((attribute) => attribute.replace(trimmed, ''))
    .filter((attribute) => /^domain(?:=|$)/i.test(attribute.replace(/[ \t]+(?==)/, '')))
    .map((attribute) => attribute.slice(attribute.indexOf('=') + 1).replace(/^[ \t.]+|[ \t.]+$/g, ''))
    .at(-1)
    ?.toLowerCase()
}

const decodeLeniently = (text: string): string =>
  text
    .replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .normalize('NFKC')

/** Nothing of the gate but the site's own name. */
function assertOwn(domain: string | undefined, value: string): void {
  const reaches = domain !== undefined && domain !== '' && `.${GATED}`.endsWith(`.${domain}`)
  assert.ok(!reaches || domain === GATED, `${JSON.stringify(value)} reaches ${domain}`)
}

const noise = fc.constantFrom('', ' ', '\t', '\v', '\f', '\u00a0', '\u0001', '"', '.', ',', '-', '%20', '=')
const name = fc.constantFrom('Domain', 'domain', 'DOMAIN', 'dOmAiN', 'Do-main', 'Path', 'Secure', 'Max-Age')
const domain = fc.constantFrom(
  'gate.example',
  'GATE.example',
  'example',
  GATED,
  'www.shop.test',
  'shop.test',
  'other.gate.example',
  'elsewhere.test',
  'gate%2eexample',
  'gate.example:443',
  '\uff47ate.example',
  '',
)
const attribute = fc.tuple(noise, name, noise, fc.constantFrom('=', ' = ', '', '=='), noise, domain, noise)
const cookie = fc
  .tuple(fc.constantFrom('a=1', 'a', '=a', '', 'a="x'), fc.array(attribute, { maxLength: 5 }), noise)
  .map(([pair, attributes, end]) => [pair, ...attributes.map((parts) => parts.join(''))].join(';') + end)

test('no cookie of an answer reaches beyond its gated name, whoever reads it', () => {
  fc.assert(
    fc.property(fc.oneof(cookie, fc.string({ unit: 'binary' })), (value) => {
      const passed = through(value)
      if (passed === null) return
      for (const read of READERS) assertOwn(read(passed), passed)
      const others = (text: string) =>
        text.split(';').filter((part) => !/^[^a-z]*d[^a-z]*o[^a-z]*m/i.test(part))
      assert.deepEqual(others(passed), others(value))
    }),
    { numRuns: 2_000 },
  )
})

test('a domain that covers the origin or the gate becomes the gated name, and what is no name goes', () => {
  const expected: Record<string, string> = {
    'a=1; Domain=www.shop.test; Path=/': `a=1; Domain=${GATED}; Path=/`,
    'a=1;domain = .shop.test': `a=1; Domain=${GATED}`,
    'a=1; Domain=.Gate.Example; Secure': `a=1; Domain=${GATED}; Secure`,
    'a=1; Domain=elsewhere.test': 'a=1; Domain=elsewhere.test',
    'a=1; Domain=gate.example; Domain=elsewhere.test': 'a=1; Domain=elsewhere.test',
    'a=1; Domain=elsewhere.test; Domain=gate.example': `a=1; Domain=${GATED}`,
    'a=1; Domain=gate.example; Domain=': 'a=1',
    'a=1; Domain=; Secure': 'a=1; Secure',
    'a=1; Domain': 'a=1',
    'a=1; Domain="gate.example"; Secure': 'a=1; Secure',
    'a=1; Domain=gate.example.': 'a=1',
    'a=1; Domain=gate.example:443': 'a=1',
    'a=1; Domain=gate%2eexample': 'a=1',
    'a=domain=gate.example; Secure': 'a=domain=gate.example; Secure',
    'a=1; Path=/domain=x': 'a=1; Path=/domain=x',
  }
  for (const [sent, passed] of Object.entries(expected)) assert.equal(through(sent), passed, sent)
})

const OF_GATE = [
  '__Host-sallyport=x',
  '__host-SALLYPORT=x',
  '__Host-Http-sallyport=x',
  '__Host-Http-sallyport-nonce=x',
  '__Host-sallyport-gate=x',
  '__Secure-sallyport=x',
  '__Http-sallyport=x',
  '=__Host-Http-sallyport=x',
  ' = = __Host-sallyport',
  '\t__Host-sallyport',
]

test('cookies named like those of the gate pass neither way, in any spelling, and all others do', () => {
  for (const pair of OF_GATE) {
    assert.equal(through(`${pair}; Path=/; Secure`), null, pair)
    assert.equal(withoutGateCookies(`a=1;${pair}; b=2`), 'a=1; b=2', pair)
    assert.equal(withoutGateCookies(pair), '', pair)
  }
  for (const pair of ['sallyport=1', 'x__Host-sallyport=1', '__Host-shop=1', 'a=__Host-sallyport']) {
    assert.equal(through(pair), pair)
    assert.equal(withoutGateCookies(pair), pair)
  }
  const pair = fc.oneof(fc.constantFrom(...OF_GATE), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(fc.array(pair), (pairs) => {
      const kept = withoutGateCookies(pairs.join(';')).split(';')
      const parts = pairs.join(';').split(';')
      assert.ok(!kept.some(isGateCookie))
      assert.equal(
        kept.join('').trim(),
        parts
          .filter((part) => !isGateCookie(part))
          .join('')
          .trim(),
      )
    }),
  )
})
