/** The two names of a site: which origins are taken, and which names under the gate domain. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { readGatedName } from '../../../src/features/sites/gated-name.ts'
import { readOrigin } from '../../../src/features/sites/origin.ts'
import { startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { orgId, keys } = await control.createOrganization('names')
const create = (body: object) => control.call('POST', '/api/Sites', { key: keys.owner, body })
const change = (id: string, body: object) =>
  control.call('PATCH', `/api/Sites/${id}`, { key: keys.owner, body })
const RULES = { gateDomain: 'gate.localhost', gateHost: 'door.gate.localhost' }

const NO_ORIGINS = [
  'shop.example:0',
  'https://shop.example:0/',
  'shop.example:00',
  'shop.example:65536',
  'shop.example:99999',
  'shop.example:',
  'https://shop.example:/',
  'shop.example:1e3',
  'shop.example:+80',
  'shop.example:-1',
  'shop.example:80:80',
  'ada@shop.example',
  'https://ada:secret@shop.example',
  'https://@shop.example',
  'shop.example/path',
  'shop.example//',
  'https://shop.example/?',
  'shop.example?a=1',
  'shop.example#top',
  'shop.example\\path',
  'https:\\\\shop.example',
  'shop .example',
  'shop\t.example',
  'shop\n.example',
  'shop.example\u0000',
  'shop\u00ad.example',
  'shop。example',
  'bücher.example',
  'shop%2eexample',
  'shop.example.',
  'shop..example',
  '.shop.example',
  '-shop.example',
  'shop_1.example',
  '*',
  '*.',
  '*.*.example',
  'a.*.example',
  '*a.example',
  '*.0.0.1',
  '*.0x1',
  '*.[::1]',
  `*.${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`,
  '0x7f.1',
  '2130706433',
  '127.1',
  '127.0.0.1.',
  '[fe80::1%25eth0]',
  '[fe80::1%eth0]',
  '[::1',
  '::1',
  '[]',
  '[127.0.0.1]',
  'ftp://shop.example',
  'javascript:alert(1)',
  'https://',
  '//shop.example',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(127)}example`,
]

test('an origin that is not a host, a host with a port or a URL without a path is a 400 that names the field', async () => {
  const { json: site } = await create({ originName: 'shop.example' })
  for (const originName of NO_ORIGINS)
    for (const answer of [await create({ originName }), await change(site.id, { originName })]) {
      assert.equal(answer.status, 400, `${JSON.stringify(originName)}: ${answer.text}`)
      assert.deepEqual(
        answer.json.errors.map(({ path }: { path: string }) => path),
        ['/originName'],
        originName,
      )
    }
})

test('an origin means what is written, and nothing else', () => {
  const read = (text: string) => Object.values(readOrigin(text)).join(' ')
  assert.equal(read('Shop.Example'), 'https shop.example 443')
  assert.equal(read(' HTTP://shop.example/ '), 'http shop.example 80')
  assert.equal(read('shop.example:1'), 'https shop.example 1')
  assert.equal(read('https://shop.example:65535'), 'https shop.example 65535')
  assert.equal(read('[2001:DB8:0::1]:8443'), 'https 2001:db8::1 8443')
  assert.equal(read('http://*.Shop.Example:8080'), 'http *.shop.example 8080')
  assert.equal(read('127.0.0.1:8080'), 'https 127.0.0.1 8080')
  assert.equal(read('xn--bcher-kva.example'), 'https xn--bcher-kva.example 443')
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.domain()), (text) => {
      let origin: ReturnType<typeof readOrigin>
      try {
        origin = readOrigin(text)
      } catch {
        return
      }
      const host = origin.host.includes(':') ? `[${origin.host}]` : origin.host
      const url = new URL(`${origin.scheme}://${host}:${origin.port}`)
      assert.equal(url.hostname, host)
      assert.ok(text.toLowerCase().includes(host), `${text} became ${host}`)
    }),
  )
})

test('a gated name is one label under the gate domain, and none that somebody would be trusted for', async () => {
  const { json: site } = await create({ originName: 'gated.example' })
  for (const gatedName of [
    'a.b.gate.localhost',
    'gate.localhost',
    '.gate.localhost',
    'shop.gate.localhost.',
    'shop.other.localhost',
    'shopgate.localhost',
    'shop_1.gate.localhost',
    '-shop.gate.localhost',
    'shop-.gate.localhost',
    'xn--bcher-kva.gate.localhost',
    'bücher.gate.localhost',
    'shop gate.gate.localhost',
    'sallyport.gate.localhost',
    'SALLYPORT.gate.localhost',
    'www.gate.localhost',
    'login.gate.localhost',
    'autodiscover.gate.localhost',
    'shop.gate.localhost:80',
    '*.gate.localhost',
    `${'a'.repeat(64)}.gate.localhost`,
  ])
    for (const answer of [
      await create({ originName: 'x.example', gatedName }),
      await change(site.id, { gatedName }),
    ]) {
      assert.equal(answer.status, 400, `${gatedName}: ${answer.text}`)
      assert.equal(answer.json.errors[0].path, '/gatedName')
    }
  const { json: named } = await create({
    originName: 'x.example',
    gatedName: ` ${'A'.repeat(63)}.Gate.localhost`,
  })
  assert.equal(named.gatedName, `${'a'.repeat(63)}.gate.localhost`)
  assert.throws(() => readGatedName('door.gate.localhost', RULES))
})

test('every name that the documentation calls reserved is refused', async () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../../../docs/gateway.md'), 'utf8')
  const section = /are reserved:([^#]*)/.exec(page)?.[1] ?? ''
  const labels = [...section.matchAll(/`([a-z0-9-]+)`/g)].map((match) => match[1])
  assert.ok(labels.length > 15)
  for (const label of labels) {
    const { json } = await create({ originName: 'x.example', gatedName: `${label}.gate.localhost` })
    assert.equal(json.errors?.[0].message, 'is reserved', label)
  }
})

test('a name that would not be given today is kept where it is there already', async () => {
  const { json: site } = await create({ originName: 'deep.example' })
  const deep = 'a.b.gate.localhost'
  await control.database.write(orgId, (tx) =>
    tx.query('UPDATE sites SET gated_name = $1 WHERE id = $2', [deep, site.id]),
  )
  const kept = await change(site.id, { gatedName: 'A.b.gate.localhost', instructions: 'changed' })
  assert.deepEqual([kept.status, kept.json.gatedName, kept.json.instructions], [200, deep, 'changed'])
  assert.equal((await change(site.id, { gatedName: 'c.b.gate.localhost' })).status, 400)
})

test('a name made of an origin is one that could be asked for', async () => {
  for (const originName of ['www', 'api:8080', 'xn--bcher-kva.example', '[::1]', '[2001:db8::]'])
    for (let times = 0; times < 2; times++) {
      const { status, json, text } = await create({ originName })
      assert.equal(status, 201, text)
      assert.equal(readGatedName(json.gatedName, RULES), json.gatedName)
    }
})

test('whatever is taken as a gated name is one label, and free of what is reserved', () => {
  const label = fc.oneof(
    fc.stringMatching(/^[a-zA-Z0-9._-]{0,70}$/),
    fc.constantFrom('sallyport', 'door', 'WWW', 'xn--a', 'a.b', 'ab--c'),
  )
  fc.assert(
    fc.property(label, (written) => {
      let name: string
      try {
        name = readGatedName(`${written}.gate.localhost`, RULES)
      } catch {
        return
      }
      assert.match(name, /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.gate\.localhost$/)
      assert.doesNotMatch(name, /^(?:(?:sallyport|door|www)\.|..--)/)
    }),
  )
})
