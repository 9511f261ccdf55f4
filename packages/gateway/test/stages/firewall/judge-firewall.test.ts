/** The firewall through the data plane, on real sockets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFirewallGate } from './firewall-gate.ts'
import { untilRuleInForce } from './support.ts'

const ATTACK = '/items?id=1%27%20union%20select%20password%20from%20users--%20'
const JSON_ATTACK = JSON.stringify({ user: { name: "x' or '1'='1" } })

test('observe: forwards, and the record says rule, class, part, parameter, score and reason', async (context) => {
  const gate = await openFirewallGate(context, {})
  assert.equal((await gate.get(ATTACK)).status, 200)
  assert.equal((await gate.post('/login', 'application/json', JSON_ATTACK)).status, 200)
  assert.equal(gate.seen.length, 2)
  const [query, body] = await gate.recorder.waitFor(2)
  assert.equal(query?.outcome, 'origin')
  assert.equal(query?.inspection, 'full')
  assert.ok(
    query?.hits.some(
      (hit) => hit.class === 'sql_injection' && hit.part === 'query' && hit.parameter === 'id',
    ),
  )
  const scores = query?.hits.map(({ scorePercent }) => scorePercent) ?? []
  assert.ok(scores.length > 0 && scores.every((score) => score >= 50 && score < 100))
  assert.ok(query?.hits.some(({ reason }) => reason.includes('keyword sequence')))
  assert.ok(body?.hits.some((hit) => hit.part === 'body' && hit.parameter === 'user.name'))
  assert.equal(body?.inspection, 'full')
})

test('what a site does not want in its record is not in the excerpts of hits either, also when a body has hits', async (context) => {
  const gate = await openFirewallGate(
    context,
    {},
    {
      redaction: { queryValues: 'mask', clientAddress: 'keep', userAgent: 'drop' },
    },
  )
  assert.equal((await gate.post(ATTACK, 'application/json', JSON_ATTACK)).status, 200)
  const [recorded] = await gate.recorder.waitFor(1)
  assert.equal(recorded?.target, '/items?id=***')
  const excerpts = (part: string) =>
    recorded?.hits.filter((hit) => hit.part === part).map(({ excerpt }) => excerpt) ?? []
  assert.ok(excerpts('query').length > 0)
  assert.ok(excerpts('query').every((excerpt) => excerpt === '***'))
  assert.ok(excerpts('body').some((excerpt) => excerpt !== '***'))
})

test('no hit shows a key, wherever in the request it was pasted', async (context) => {
  const gate = await openFirewallGate(context, {})
  const secret = '00fdQWfEmi1CsDnkmh2kgfFBdcOWBGwvR0FiXpy'
  const attack = '%27%20union%20select%20password%20from%20users--%20'
  for (const key of [`x_rk_live_${secret}`, `RK_LIVE_${secret.toLowerCase()}`, `rk%255Flive%255F${secret}`])
    await gate.get(`/items?id=${key}${attack}&${key}=1${attack}&q=${'a'.repeat(130)}${key}${attack}`)
  for (const { hits } of await gate.recorder.waitFor(3)) {
    assert.ok(hits.some(({ parameter }) => parameter.endsWith('rk_live_***')))
    assert.ok(hits.some(({ parameter }) => parameter === 'id'))
    assert.ok(!JSON.stringify(hits).toLowerCase().includes(secret.slice(0, 16).toLowerCase()))
  }
})

test('enforce: nothing of an attack reaches the origin, and the refusal names rule and reference', async (context) => {
  const gate = await openFirewallGate(context, { mode: 'enforce' })
  const inQuery = await gate.get(ATTACK)
  assert.equal(inQuery.status, 403)
  const inBody = await gate.post('/login', 'application/json', JSON_ATTACK)
  assert.equal(inBody.status, 403)
  assert.deepEqual(gate.seen, [])
  const [first] = await gate.recorder.waitFor(2)
  assert.equal(first?.outcome, 'firewall')
  assert.ok(first?.rule && inQuery.text.includes(first.rule))
  assert.ok(inQuery.text.includes(first.id))
  assert.equal((await gate.post('/login', 'application/json', '{"user":{"name":"mara"}}')).status, 200)
  assert.deepEqual(gate.seen, [{ target: '/login', body: '{"user":{"name":"mara"}}' }])
})

test('a body longer than the inspection is forwarded whole, and marked partial', async (context) => {
  const gate = await openFirewallGate(context, { mode: 'enforce' })
  const long = JSON.stringify({ text: 'word '.repeat(60_000) })
  assert.equal((await gate.post('/notes', 'application/json', long)).status, 200)
  assert.equal(gate.seen[0]?.body, long)
  const [event] = await gate.recorder.waitFor(1)
  assert.equal(event?.inspection, 'partial')
})

test('a head that takes several slices: its body waits, what is found refuses, and all of it is seen', async (context) => {
  const gate = await openFirewallGate(context, { mode: 'enforce' })
  const word = (index: number): string => `w${index.toString(36)}x`.repeat(24)
  const words = Array.from({ length: 100 }, (_, index) => `p${index}=${word(index)}`).join('&')
  assert.equal((await gate.get(`/?${words}`)).status, 200)
  assert.equal((await gate.post(`/?${words}`, 'application/json', '{"a":"hello"}')).status, 200)
  assert.equal((await gate.post(`/?${words}`, 'application/json', JSON_ATTACK)).status, 403)
  assert.equal(
    (await gate.get(`/?${words}&q=1%27%20union%20select%20password%20from%20users--%20`)).status,
    403,
  )
  const events = await gate.recorder.waitFor(4)
  assert.deepEqual(
    events.map(({ inspection }) => inspection),
    ['full', 'full', 'full', 'full'],
  )
  assert.equal(gate.seen.length, 2)
})

test('exclusions and overrides: recorded as excluded, off and enforced', async (context) => {
  const gate = await openFirewallGate(context, {
    mode: 'enforce',
    exclusions: [{ id: 'e1', pathPrefix: '/search', parameter: 'q', note: '' }],
    overrides: [{ id: 'o1', pathPrefix: '/lab', mode: 'observe', note: '' }],
  })
  const attack = 'q=%3Cscript%3Ealert(1)%3C/script%3E'
  assert.equal((await gate.get(`/search?${attack}`)).status, 200)
  assert.equal((await gate.get(`/lab?${attack}`)).status, 200)
  assert.equal((await gate.get(`/other?${attack}`)).status, 403)
  const [excluded, observed] = await gate.recorder.waitFor(3)
  assert.ok(excluded?.hits.length && excluded.hits.every((hit) => hit.excluded || hit.part === 'target'))
  assert.ok(observed?.hits.some((hit) => !hit.excluded))
})

test('hits that refuse nothing, however many, displace none that does', async (context) => {
  const names = Array.from({ length: 12 }, (_, index) => `a${index}`)
  const attack = ATTACK.slice(ATTACK.indexOf('=') + 1)
  const target = `/items?${[...names, 'id'].map((name) => `${name}=${attack}`).join('&')}`
  const json = JSON.stringify(Object.fromEntries([...names, 'id'].map((name) => [name, "x' or '1'='1"])))
  const exclusions = names.map((parameter) => ({ id: parameter, parameter, note: '' }))
  const override = { id: 'id', parameter: 'id', mode: 'enforce', note: '' } as const
  for (const settings of [{ mode: 'enforce', exclusions } as const, { overrides: [override] }]) {
    const gate = await openFirewallGate(context, settings)
    assert.equal((await gate.get(target)).status, 403)
    assert.equal((await gate.post('/', 'application/json', json)).status, 403)
    assert.deepEqual(gate.seen, [])
    for (const { outcome } of await gate.recorder.waitFor(2)) assert.equal(outcome, 'firewall')
  }
})

test('nor do those that share all of its rules, each beside one that is excluded', async (context) => {
  const exclusions = [{ id: 'e1', rule: 'sp-os-file', note: '' }]
  const gate = await openFirewallGate(context, { mode: 'enforce', exclusions })
  const decoys = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [
      [`a${index}`, '/etc/hosts'],
      [`b${index}`, '../../windows/win.ini'],
    ]).flat(),
  )
  const send = (fields: object) => gate.post('/', 'application/json', JSON.stringify(fields))
  assert.equal((await send(decoys)).status, 200)
  assert.equal((await send({ ...decoys, name: '../../../etc/passwd' })).status, 403)
})

test('a parameter that is enforced is so behind any filler', async (context) => {
  const override = { id: 'o1', parameter: 'id', mode: 'enforce', note: '' } as const
  const gate = await openFirewallGate(context, { overrides: [override] })
  const attack = "x' or '1'='1"
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`a${index}`, 'word']))
  const long = 'lorem ipsum dolor '.repeat(12_000)
  const send = async (fields: Record<string, string>) => {
    const form = 'application/x-www-form-urlencoded'
    return [
      (await gate.post('/', 'application/json', JSON.stringify(fields))).status,
      (await gate.post('/', form, new URLSearchParams(fields).toString())).status,
    ]
  }
  assert.deepEqual(await send({ other: attack }), [200, 200])
  assert.equal((await gate.get(`/?other=${encodeURIComponent(attack)}`)).status, 200)
  assert.deepEqual(await send({ ...many, id: attack }), [403, 403])
  assert.deepEqual(await send({ long, id: attack }), [403, 403])
  assert.deepEqual(await send({ id: `${long}${attack}` }), [403, 403])
  const target = `/?${new URLSearchParams({ ...many, id: attack })}`
  assert.equal((await gate.get(target)).status, 403)
})

test('the level says how much evidence refuses a request', async (context) => {
  const suspicion = ['/files', 'application/json', '{"name":"a/../b"}'] as const
  const balanced = await openFirewallGate(context, { mode: 'enforce' })
  assert.equal((await balanced.post(...suspicion)).status, 200)
  const [passed] = await balanced.recorder.waitFor(1)
  assert.deepEqual(passed?.hits, [])
  const strict = await openFirewallGate(context, { mode: 'enforce', level: 'strict' })
  assert.equal((await strict.post(...suspicion)).status, 403)
  const [refused] = await strict.recorder.waitFor(1)
  assert.ok(refused?.hits.some(({ class: className }) => className === 'lfi'))
  const watch = await openFirewallGate(context, { mode: 'enforce', level: 'watch' })
  assert.equal((await watch.get(ATTACK)).status, 403)
})

test('off: nothing is inspected', async (context) => {
  const gate = await openFirewallGate(context, { mode: 'off' })
  assert.equal((await gate.get(ATTACK)).status, 200)
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.inspection, event?.hits], ['off', []])
})

test('a tool is named and not counted as an attack', async (context) => {
  const gate = await openFirewallGate(context, { mode: 'enforce' })
  assert.equal((await gate.get('/', 'User-Agent: sqlmap/1.8#stable (https://sqlmap.org)')).status, 200)
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.tool, event?.hits], ['sqlmap', []])
})

test('rule sets of a new snapshot are in force, and an unreadable one takes none with it', async (context) => {
  const gate = await openFirewallGate(context, { mode: 'enforce' })
  const rules = JSON.stringify({
    rules: [
      {
        id: 'house-rule',
        name: 'A house rule',
        tags: { type: 'xss', category: 'attack_attempt' },
        conditions: [
          {
            operator: 'match_regex',
            parameters: { inputs: [{ address: 'server.request.query' }], regex: '^needle$' },
          },
        ],
      },
    ],
  })
  assert.equal((await gate.get('/?a=needle')).status, 200)
  const put = (id: string, text: string) =>
    ({ type: 'put', kind: 'ruleSet', id, value: { id, name: id, rules: text } }) as const
  gate.snapshots.apply(put('good', rules), put('bad', 'not JSON'))
  // Those before judge until the others are there.
  assert.equal((await gate.get(ATTACK)).status, 403)
  await untilRuleInForce(gate.dataPlane.engines, 'house-rule')
  const refused = await gate.get('/?a=needle')
  assert.equal(refused.status, 403)
  assert.ok(refused.text.includes('house-rule'))
  assert.equal((await gate.get(ATTACK)).status, 403)
})

test('a path that is excluded does not cover for another that a header names', async (context) => {
  const gate = await openFirewallGate(context, {
    mode: 'enforce',
    exclusions: [{ id: 'e', note: '', pathPrefix: '/items' }],
  })
  assert.equal((await gate.get(ATTACK)).status, 200)
  assert.equal((await gate.get(ATTACK, 'X-Original-URL: /items/1')).status, 200)
  assert.equal((await gate.get(ATTACK, 'X-Original-URL: /admin')).status, 403)
  assert.equal((await gate.get(ATTACK, 'X_Rewrite_URL: /items/../admin')).status, 403)
})
