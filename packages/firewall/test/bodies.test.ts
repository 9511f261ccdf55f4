import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { createEngine, maintainedRules, ownRules } from '../src/index.ts'
import { inspect } from './support/corpus.ts'
import { ATTACKS } from './support/disguises/attacks.ts'
import { engineOf, get, places, post } from './support/requests.ts'

const engine = engineOf({ needle: 'needle' })
const found = async (contentType: string, body: string | Buffer, headers = {}) => {
  const result = await inspect(engine, post(contentType, body, headers))
  return { places: places(result), inspection: result.inspection }
}
const multipart = (...parts: string[]) =>
  [...parts.map((part) => `--b0\r\n${part}\r\n`), '--b0--\r\n'].join('')

test('form: repeated names, names without values, decoded once', async () => {
  const type = 'application/x-www-form-urlencoded'
  assert.deepEqual(await found(type, 'a=1&a=need%6Ce&b=x+y'), { places: ['body a'], inspection: 'full' })
  assert.deepEqual((await found(type, 'x=ne%2565dle')).places, ['body x'])
})

test('JSON: any depth, repeated keys, numbers, a body that broke off', async () => {
  const type = 'application/json'
  assert.deepEqual((await found(type, '{"a":[{"b":"needle"}]}')).places, ['body a[0].b'])
  assert.deepEqual((await found(type, '{"a":"needle","a":"ok"}')).places, ['body a'])
  assert.deepEqual((await found(type, '{"a":"n\\u0065edle"}')).places, ['body a'])
  const deep = `${'['.repeat(5_000)}"needle"${']'.repeat(5_000)}`
  assert.equal((await found(type, deep)).places.length, 1)
  const broken = await found(type, '{"a":"needle')
  assert.ok(broken.places.includes('body a'))
  assert.equal(broken.inspection, 'partial')
  assert.equal((await found(type, 'no json: needle')).inspection, 'partial')
})

test('multipart: fields, file names, extended file names, contents, a missing boundary', async () => {
  const type = 'multipart/form-data; boundary=b0'
  const field = 'Content-Disposition: form-data; name="bio"\r\n\r\nneedle'
  const file = 'Content-Disposition: form-data; name="f"; filename="needle.txt"\r\n\r\nhello'
  const content = 'Content-Disposition: form-data; name="g"; filename="a.txt"\r\n\r\nthe needle'
  const extended = `Content-Disposition: form-data; name="h"; filename*=UTF-8''%6eeedle\r\n\r\nhello`
  assert.deepEqual(await found(type, multipart(field, file, content, extended)), {
    places: ['body bio', 'file f', 'file g', 'file h'],
    inspection: 'full',
  })
  const spaced = 'Content-Disposition: form-data; name="i"; filename="nee dle.txt"\r\n\r\nhello'
  assert.deepEqual((await found(type, multipart(spaced))).places, ['file i'])
  assert.deepEqual((await found('image/png', 'hello', { 'X-Filename': 'nee dle' })).places, [
    'header x-filename',
  ])
  const wrong = await found('multipart/form-data; boundary=other', multipart(field))
  assert.deepEqual(wrong, { places: ['body'], inspection: 'partial' })
})

test('multipart: every name that a file may get, and no name where readers differ in it', async () => {
  const type = 'multipart/form-data; boundary=b0'
  const form = 'Content-Disposition: form-data; name="f"'
  for (const head of [
    `${form}; filename="a.txt"; filename="needle"`,
    `${form.replace('"f"', '"f; filename=a.txt"')}; filename="needle"`,
    `${form.replace('"f"', '"f; filename="')}; filename="needle"`,
    `${form}; filename="a.txt"\r\n${form}; filename="needle"`,
    `${form}; filename="a\u2028needle"`,
    `${form.replace(':', ' :')}; filename=needle`,
    `${form}; filename*0="need"; filename*1="le"`,
  ])
    assert.ok((await found(type, multipart(`${head}\r\n\r\nhello`))).places[0]?.startsWith('file'), head)
  for (const head of [`${form}; name=g`, `${form}\r\n${form.replace('"f"', 'g')}`])
    assert.deepEqual(await found(type, multipart(`${head}\r\n\r\nneedle`)), {
      places: ['body'],
      inspection: 'partial',
    })
})

test('multipart: delimiters begin a line, and reading goes on to the last byte', async () => {
  const type = 'multipart/form-data; boundary=b0'
  const field = (name: string, text: string, head = '') =>
    `Content-Disposition: form-data; name="${name}"\r\n${head}\r\n${text}`
  assert.deepEqual(await found(type, multipart(field('x', 'hello --b0-- there'), field('q', 'needle'))), {
    places: ['body q'],
    inspection: 'full',
  })
  const unix = multipart(field('x', 'a'), field('q', 'needle')).replaceAll('\r\n', '\n')
  assert.deepEqual(await found(type, unix), { places: ['body q'], inspection: 'full' })
  assert.equal((await found(type, `${multipart(field('x', 'a'))}\r\n \t\r\n`)).inspection, 'full')
  const ended = multipart(field('x', 'a'))
  const odd = [`${ended}needle`, `${ended}${multipart(field('q', 'needle'))}`, `needle\r\n${ended}`]
  const mixed = multipart(field('x', 'need\n--b0\nle\r\n\r\nneedle'))
  for (const body of [...odd, mixed, multipart(`\r\nneedle`).replace('--b0', '--b0x')]) {
    const result = await found(type, body)
    assert.ok(result.places.includes('body'), body)
    assert.equal(result.inspection, 'partial', body)
  }
  assert.deepEqual(await found(type, multipart(`${field('x', 'a').replace('\r\n', '\r\nneedle\r\n')}`)), {
    places: ['body x'],
    inspection: 'full',
  })
  assert.equal((await found(`${type}; boundary=b1`, ended)).inspection, 'partial')
  const inner = 'Content-Disposition: form-data; name="f"; filename="needle"\r\n\r\nhello'
  const outer = `--b1,c\r\n${field('x', multipart(inner))}\r\n--b1,c--\r\n`
  for (const [given, body] of [
    ['multipart/form-data; boundary=b1,c; boundary=b0', outer],
    ['multipart/form-data; boundary=b1,c', outer.replaceAll('--b0', '--b1')],
  ] as const) {
    const result = await found(given, body)
    assert.ok(result.places.includes('file f'), given)
    assert.equal(result.inspection, 'partial', given)
  }
  for (const [encoding, text] of [
    ['quoted-printable', 'need=6C=\r\ne'],
    ['base64', 'YSBs\r\nb25nIG5lZWRsZQ=='],
  ] as const)
    assert.deepEqual(
      await found(type, multipart(field('x', text, `Content-Transfer-Encoding: ${encoding}\r\n`))),
      { places: ['body x'], inspection: 'full' },
    )
  const charset = field('x', 'a', 'Content-Type: text/plain; charset=iso-2022-kr\r\n')
  assert.equal((await found(type, multipart(charset))).inspection, 'partial')
})

test('XML: text, attributes, CDATA, comments and entities; the declaration says nothing', async () => {
  const type = 'application/xml'
  assert.deepEqual((await found(type, '<?xml version="1.0"?><a><b>needle</b></a>')).places, ['body a.b'])
  assert.deepEqual((await found(type, '<a><b c="need&#108;e"/></a>')).places, ['body a.b@c'])
  assert.deepEqual((await found(type, '<a><![CDATA[needle]]></a>')).places, ['body a'])
  assert.deepEqual((await found(type, '<a><!-- needle --></a>')).places, ['body a'])
  assert.deepEqual((await found(type, '<a>ne<!-- -->e<![CDATA[d]]><?x?>le<b/></a>')).places, ['body a'])
  assert.deepEqual((await found(type, '<!DOCTYPE a [<!ENTITY x SYSTEM "needle">]><a>&x;</a>')).places, [
    'body',
  ])
  assert.equal((await found(type, '<a><b>needle')).inspection, 'partial')
})

test('GraphQL: string literals by their argument, in JSON and alone', async () => {
  const query = 'query { user(name: "needle") { id } }'
  assert.ok((await found('application/json', JSON.stringify({ query }))).places.includes('body query.name'))
  assert.ok((await found('application/graphql', query)).places.includes('body .name'))
  assert.ok((await found('application/graphql', '{ a(b: """needle')).places.includes('body .b'))
})

test('plain text and bodies of unknown type are judged by what they look like', async () => {
  assert.deepEqual((await found('text/plain', 'a needle')).places, ['body'])
  assert.deepEqual((await found('', 'a=1&b=needle')).places, ['body b'])
  assert.deepEqual((await found('text/plain', '{"a":"needle"}')).places, ['body a'])
  assert.deepEqual((await found('', '%6eeedle+s')).places, ['body', 'body needle s'])
  const utf16 = Buffer.from('a needle', 'utf16le')
  assert.deepEqual((await found('text/plain; charset=utf-16le', utf16)).places, ['body'])
})

test('a zero byte, a byte order mark or a wrong charset hides nothing', async () => {
  const form = 'application/x-www-form-urlencoded'
  assert.deepEqual(await found(form, 'a=\0&b=needle'), { places: ['body b'], inspection: 'full' })
  assert.deepEqual((await found(form, 'a=need\0le')).places, ['body a'])
  const xml = '<?xml version="1.0" encoding="UTF-16"?><a><b>needle</b></a>'
  const little = Buffer.from(xml, 'utf16le')
  const big = Buffer.from(little).swap16()
  const marks = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])] as const
  for (const body of [Buffer.concat([marks[0], little]), Buffer.concat([marks[1], big]), little, big])
    for (const charset of ['', '; charset=utf-16'])
      assert.deepEqual(await found(`text/xml${charset}`, body), { places: ['body a.b'], inspection: 'full' })
  const odd = await found('text/plain; charset=utf-16le', big)
  assert.deepEqual(odd, { places: ['body a.b'], inspection: 'partial' })
  for (const charset of ['utf-16', 'utf-16le', 'utf-16be'])
    assert.deepEqual((await found(`${form}; charset=${charset}`, 'a=1&b=needle')).places, ['body b'])
  const marked = Buffer.concat([marks[0], Buffer.from('a=1&b=needle')])
  assert.deepEqual((await found(form, marked)).places, ['body b'])
  assert.deepEqual((await found(form, '\ufeffa=needle')).places, ['body a'])
  const unknown = '<?xml version="1.0" encoding="IBM1047"?><a/>'
  assert.equal((await found('text/xml', unknown)).inspection, 'partial')
})

test('bytes of another charset that read as UTF-8, too, hide nothing', async () => {
  // CzBa in EBCDIC, é and a control in UTF-8.
  const type = 'application/x-www-form-urlencoded; charset=ibm037'
  const result = await inspect(engineOf({ needle: 'CzBa' }), post(type, '%81=%C3%A9%C2%81'))
  assert.deepEqual(places(result), ['body a'])
})

test('a file that begins like UTF-16 hides nothing that is read byte by byte', async () => {
  const files = createEngine([ownRules()])
  const rulesFor = async (type: string, body: string) =>
    (await inspect(files, post(type, body))).hits.map((hit) => hit.rule)
  for (const unit of ['a\0', '\x01\0', '\0a', '\0\x01']) {
    const content = `${unit.repeat(256)}<?php system($_GET['c']); ?>`
    const file = multipart(`Content-Disposition: form-data; name="f"; filename="a.jpg"\r\n\r\n${content}`)
    assert.ok((await rulesFor('multipart/form-data; boundary=b0', file)).includes('sp-php-tags'))
    for (const type of ['image/png', 'application/octet-stream'])
      assert.ok((await rulesFor(type, content)).includes('sp-php-tags'), type)
  }
})

test('a type that is no text hides no text', async () => {
  assert.deepEqual(await found('image/png', '{"a":"needle"}'), { places: ['body a'], inspection: 'full' })
  assert.deepEqual((await found('image/png', 'a=1&b=needle')).places, ['body b'])
  assert.deepEqual((await found('application/octet-stream', '<a>needle</a>')).places, ['body a'])
  assert.deepEqual((await found('', 'a=\0&b=needle')).places, ['body b'])
  const noise = Buffer.from(Array.from({ length: 700 }, (_, index) => (index * 151) % 256))
  const data = Buffer.concat([noise, Buffer.from('a=1&b=a long needle'), noise])
  for (const type of ['', 'application/octet-stream'])
    assert.deepEqual(await found(type, data), { places: ['body'], inspection: 'partial' })
  assert.deepEqual(await found('image/png', data), { places: ['body'], inspection: 'full' })
})

test('a type that is text is judged as text, whatever file a body begins as', async () => {
  const begun = (text: string): Buffer =>
    Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), Buffer.from(text)])
  const form = await found('application/x-www-form-urlencoded', begun('&a=needle'))
  assert.ok(form.places.includes('body a'))
  assert.ok((await found('text/plain', begun('needle'))).places.includes('body'))
  assert.ok((await found('application/json', begun('{"a":"needle"}'))).places.length > 0)
})

test('of what can be read in a font noise is left out, and words are judged', async () => {
  const font = (run: string): Buffer =>
    Buffer.concat([Buffer.from('\0\x01\0\0\0\x12\x01\0'), Buffer.alloc(600), Buffer.from(`${run}\0`)])
  const noisy = engineOf({ noise: 'X@', word: 'needle' })
  const rulesIn = async (bytes: Buffer): Promise<string[]> =>
    (await inspect(noisy, post('application/octet-stream', bytes))).hits.map((hit) => hit.rule)
  assert.deepEqual(await rulesIn(font('{{HX@zzHX@yyHX@xxHX@ww')), [])
  assert.deepEqual(await rulesIn(font('a long needle in it')), ['word'])
  assert.deepEqual(await rulesIn(Buffer.concat([Buffer.alloc(8), font('{{HX@zzHX@yyHX@xxHX@ww')])), ['noise'])
})

test('what follows the first segments of a font is a font still, and of a text a text', async () => {
  const weights = { version: 'test', rules: {}, inCode: { word: 1 }, inStrayLines: {}, signs: {} }
  const inputs = [{ address: 'server.request.body' }]
  const rule = {
    id: 'word',
    name: 'word',
    tags: { type: 'xss', category: 'attack_attempt' },
    conditions: [{ operator: 'match_regex', parameters: { inputs, regex: 'needle' } }],
  }
  const engine = createEngine([{ version: '2.2', rules: [rule] }], weights)
  const isFound = async (beginning: string, type: string): Promise<boolean> => {
    const bytes = Buffer.from(`${beginning}${'some words\n'.repeat(30_000)}a long needle in it\n`, 'latin1')
    return (await inspect(engine, post(type, bytes))).hits.length > 0
  }
  const font = `\0\x01\0\0\0\x12\x01\0${'\0'.repeat(600)}`
  assert.equal(await isFound(font, 'application/octet-stream'), false)
  assert.equal(await isFound('\x89PNG\r\n\x1a\n\0\0', 'application/octet-stream'), true)
  assert.equal(await isFound(font, 'text/plain'), true)
  engine.dispose()
})

test('attacks are found behind the beginning of a picture or of zeros, where no type says what a body is', async () => {
  const rules = createEngine([maintainedRules(), ownRules()])
  for (const beginning of ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff\xe0', 'GIF89a\x01', '\0\0\0\0', 'PK\x03\x04']) {
    let count = 0
    for (const { text } of ATTACKS) {
      const bytes = Buffer.from(`${beginning}${'\0'.repeat(600)}x=${text}${'\x01'.repeat(40)}`, 'latin1')
      if ((await inspect(rules, post('application/octet-stream', bytes))).hits.length > 0) count++
    }
    assert.ok(count >= 0.95 * ATTACKS.length, `${beginning}: ${count}`)
  }
  rules.dispose()
})

test('compressed bodies are opened, also twice; bombs and broken ones are partial', async () => {
  const body = Buffer.from('{"a":"needle"}')
  const type = 'application/json'
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['deflate', deflateRawSync(body)],
    ['br', brotliCompressSync(body)],
    ['zstd', zstdCompressSync(body)],
    ['gzip, br', brotliCompressSync(gzipSync(body))],
  ] as const)
    assert.deepEqual(await found(type, bytes, { 'Content-Encoding': encoding }), {
      places: ['body a'],
      inspection: 'full',
    })
  const bomb = gzipSync(Buffer.concat([Buffer.from('{"a":"needle","b":"'), Buffer.alloc(50_000_000, 0x61)]))
  const opened = await found(type, bomb, { 'Content-Encoding': 'gzip' })
  assert.ok(opened.places.includes('body a'))
  assert.equal(opened.inspection, 'partial')
  assert.equal((await found(type, 'not gzip', { 'Content-Encoding': 'gzip' })).inspection, 'partial')
})

test('of headers that repeat, all encodings are undone, and the first and the last type believed', async () => {
  const both = async (name: string, first: string, last: string, body: string | Buffer) => {
    const request = post('', body)
    const rawHeaders = ['Host', 'shop.example', 'Content-Type', 'text/plain', name, first, name, last]
    if (name === 'Content-Type') rawHeaders.splice(2, 2)
    const result = await inspect(engine, { ...request, head: { ...request.head, rawHeaders } })
    return { places: places(result), inspection: result.inspection }
  }
  const packed = gzipSync('a needle')
  for (const [first, last] of [
    ['identity', 'gzip'],
    ['gzip', 'identity'],
  ] as const)
    assert.deepEqual(await both('Content-Encoding', first, last, packed), {
      places: ['body'],
      inspection: 'full',
    })
  const file = multipart('Content-Disposition: form-data; name="f"; filename="needle"\r\n\r\nhello')
  const form = 'multipart/form-data; boundary=b0'
  for (const [first, last] of [
    ['image/png', form],
    [form, 'image/png'],
  ] as const) {
    const result = await both('Content-Type', first, last, file)
    assert.ok(result.places.includes('file f'))
    assert.equal(result.inspection, 'partial')
  }
})

test('where an encoding is named the body counts as it was sent, too', async () => {
  const form = 'application/x-www-form-urlencoded'
  const noise = Buffer.from(Array.from({ length: 700 }, (_, index) => (index * 151) % 256))
  for (const [encoding, bytes] of [
    ['gzip', gzipSync('a=1')],
    ['deflate', deflateSync('a=1')],
    ['deflate', deflateRawSync('a=1')],
    ['deflate', deflateSync(noise)],
    ['br', brotliCompressSync('a=1')],
    ['zstd', zstdCompressSync('a=1')],
    ['gzip, br', brotliCompressSync(gzipSync('a=1'))],
  ] as const) {
    const body = Buffer.concat([bytes, Buffer.from('&query=1 a needle')])
    const result = await found(form, body, { 'Content-Encoding': encoding })
    assert.match(result.places.join(), /^body/, encoding)
    assert.equal(result.inspection, 'partial', encoding)
  }
})

test('the head: cookies, referer, names and odd targets', async () => {
  const at = async (target: string, headers = {}) => places(await inspect(engine, get(target, headers)))
  assert.deepEqual(await at('/', { Cookie: 'a=1; b=need%6ce' }), ['cookie b'])
  assert.deepEqual(await at('/', { 'X-Any': 'needle' }), ['header x-any'])
  assert.deepEqual(await at('/a%2fneedle'), ['path'])
  assert.deepEqual(await at('/?q=%u006eeedle'), ['query q'])
})
