/** Headers and names in which nothing matches are remembered; what is found in a head is the same with and without that. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESSES } from '../../src/request/addresses.ts'
import { CleanTexts } from '../../src/request/clean-texts.ts'
import { inspect } from '../support/corpus.ts'
import { engineOf, get, places } from '../support/requests.ts'

test('a header is known to be clean from the second time on, by its name and its value', () => {
  const headers = new CleanTexts()
  headers.note('accept', 'text/html')
  assert.equal(headers.has('accept', 'text/html'), false)
  headers.note('accept', 'text/html')
  assert.equal(headers.has('accept', 'text/html'), true)
  assert.equal(headers.has('x-accept', 'text/html'), false)
  assert.equal(headers.has('accept', 'text/plain'), false)
})

test('long names and values are not remembered', () => {
  const headers = new CleanTexts()
  for (const [name, value] of [
    ['x'.repeat(65), 'a'],
    ['x', 'a'.repeat(513)],
  ] as const) {
    for (let times = 0; times < 3; times += 1) headers.note(name, value)
    assert.equal(headers.has(name, value), false)
  }
})

test('what matches in a header is found however often clean headers came before', async () => {
  const engine = engineOf({ needle: 'needle' })
  const placesOf = async (headers: Readonly<Record<string, string>>) =>
    places(await inspect(engine, get('/', headers)))
  for (let times = 0; times < 4; times += 1) {
    assert.deepEqual(await placesOf({ Accept: 'a', 'X-Note': 'plain', Cookie: `a=${times}` }), [])
    assert.deepEqual(await placesOf({ Accept: 'needle', 'X-Note': 'plain' }), ['header accept'])
    // Of two headers of one name one matches: neither is clean.
    assert.deepEqual(await placesOf({ 'X-Note': 'plain', 'x-note': 'needle' }), ['header x-note'])
    assert.deepEqual(await placesOf({ 'X-Note': 'needle', Accept: 'plain', Cookie: 'a=needle' }), [
      'cookie a',
      'header x-note',
    ])
  }
})

test('names are judged with every value, also where heads are new each time', async () => {
  const inputs = [{ address: ADDRESSES.headerNames }]
  const operator = { operator: 'match_regex', parameters: { inputs, regex: 'needle' } }
  const tags = { type: 'xss', category: 'attack_attempt' }
  const rule = { id: 'named', name: 'named', tags, conditions: [operator], transformers: [] }
  const engine = engineOf({ needle: 'needle' }, [rule])
  const placesOf = async (rawHeaders: readonly string[], hasNewHeaders: boolean) => {
    const head = { method: 'GET', target: '/', rawHeaders, hasNewHeaders }
    return places(await inspect(engine, { head, body: Buffer.alloc(0) }))
  }
  for (let times = 0; times < 6; times += 1)
    for (const isNew of [true, false]) {
      assert.deepEqual(await placesOf(['X-Plain', `plain ${times}`], isNew), [])
      assert.deepEqual(await placesOf(['X-needle', `plain ${times}`], isNew), ['header x-needle'])
      assert.deepEqual(await placesOf(['X-needle', ''], isNew), ['header x-needle'])
      assert.deepEqual(await placesOf(['X-Plain', `needle ${times}`], isNew), ['header x-plain'])
    }
})

test('a referer leads elsewhere for one host and not for another', async () => {
  const inputs = [{ address: ADDRESSES.foreignReferer }]
  const operator = { operator: 'match_regex', parameters: { inputs, regex: 'shop' } }
  const tags = { type: 'xss', category: 'attack_attempt' }
  const engine = engineOf({}, [
    { id: 'foreign', name: 'foreign', tags, conditions: [operator], transformers: [] },
  ])
  const askedOf = async (host: string) => {
    const rawHeaders = ['Host', host, 'Referer', 'https://shop.example/']
    return places(
      await inspect(engine, { head: { method: 'GET', target: '/', rawHeaders }, body: Buffer.alloc(0) }),
    )
  }
  for (let times = 0; times < 3; times += 1) {
    assert.deepEqual(await askedOf('shop.example'), [])
    assert.deepEqual(await askedOf('other.example'), ['header referer'])
  }
})

test('a name is judged where it stands, however often it was clean in another place', async () => {
  const inputs = [{ address: ADDRESSES.parameterNames }]
  // No glance clears `needles`, because it has the letters that are looked for.
  const operator = { operator: 'match_regex', parameters: { inputs, regex: 'needle$' } }
  const tags = { type: 'xss', category: 'attack_attempt' }
  const rule = { id: 'named', name: 'named', tags, conditions: [operator], transformers: [] }
  const engine = engineOf({}, [rule])
  const placesOf = async (target: string, cookie: string) =>
    places(await inspect(engine, get(target, { Cookie: cookie })))
  for (let times = 0; times < 5; times += 1) {
    assert.deepEqual(await placesOf(`/?needles=${times}`, `needle=${times}; needles=1`), [])
    assert.deepEqual(await placesOf(`/?needle=${times}`, `needle=${times}`), ['query needle'])
  }
})
