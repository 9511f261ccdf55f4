/** How changes open and close a site, and that whatever is read of it can be written back. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OPEN_END, type Site } from '@sallyport/contract'
import fc from 'fast-check'
import { startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys } = await control.createOrganization('openings')
const owner = { key: keys.owner }

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

const create = async (body: object): Promise<Site> => {
  const made = await control.call('POST', '/api/Sites', {
    ...owner,
    body: { originName: 'example.com', ...body },
  })
  assert.equal(made.status, 201, made.text)
  return made.json
}
const read = (id: string) => control.call('GET', `/api/Sites/${id}`, owner)
const change = (id: string, body: object) => control.call('PATCH', `/api/Sites/${id}`, { ...owner, body })
const disable = (id: string) => control.call('GET', `/api/Sites/disable/${id}`, owner)
const enable = (id: string) => control.call('POST', `/api/Sites/enable/${id}`, owner)
const openingOf = ({ isActive, startDate, stopDate }: Site) => ({ isActive, startDate, stopDate })

/** What is read, written back, changes nothing: not a field, not the version. */
async function assertTakesWhatItGives(id: string, after: unknown): Promise<void> {
  const given = await read(id)
  const taken = await change(id, given.json)
  assert.equal(taken.status, 200, `${JSON.stringify(after)}: ${taken.text}`)
  assert.deepEqual(taken.json, given.json, JSON.stringify(after))
  assert.equal(taken.headers.get('etag'), given.headers.get('etag'), JSON.stringify(after))
}

const hours = fc.integer({ min: -48, max: 48 }).filter((value) => value !== 0)
const written = fc.record(
  {
    isActive: fc.boolean(),
    startDate: hours.map(inHours),
    stopDate: fc.oneof(hours.map(inHours), fc.constant(OPEN_END)),
    credentials: fc.constantFrom('', 'tester / correct horse'),
    instructions: fc.string({ maxLength: 20 }),
    rateLimit: fc.constantFrom('', 'fixed'),
    blockList: fc.constantFrom(
      '[]',
      '[{"pathPrefix":"/admin","methods":["post"],"status":403,"enabled":true}]',
    ),
  },
  { requiredKeys: [] },
)
const act = fc.oneof(
  fc.constantFrom('enable' as const, 'disable' as const),
  written.map((body) => ({ body })),
)

test('whatever is read of a site can be written back, and changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 5 }), async (acts) => {
      const { id } = await create({})
      for (const one of acts) {
        const answer = await (one === 'enable'
          ? enable(id)
          : one === 'disable'
            ? disable(id)
            : change(id, one.body))
        assert.ok([200, 400].includes(answer.status), answer.text)
        if (one === 'enable') assert.equal(answer.json.isActive, true)
        if (one === 'disable') assert.equal(answer.json.isActive, false)
        await assertTakesWhatItGives(id, acts)
      }
    }),
    { numRuns: 60 },
  )
})

test('a site that was closed opens again by each way, until its end of before', async () => {
  const stopDate = inHours(24)
  for (const again of [enable, (id: string) => change(id, { isActive: true })]) {
    const { id, startDate } = await create({ isActive: true, stopDate })
    const closed = await disable(id)
    assert.equal(closed.json.isActive, false)
    assert.ok(closed.json.stopDate <= new Date().toISOString())
    assert.deepEqual((await disable(id)).json, closed.json)
    assert.deepEqual(openingOf((await again(id)).json), { isActive: true, startDate, stopDate })
  }
})

test('a site that is over opens without an end', async () => {
  for (const again of [enable, (id: string) => change(id, { isActive: true })]) {
    const { id } = await create({ startDate: inHours(-2), stopDate: inHours(-1) })
    const { isActive, stopDate } = (await again(id)).json
    assert.deepEqual([isActive, stopDate], [true, OPEN_END])
  }
})

test('an end that was given after a site was closed is the one that it opens with', async () => {
  const { id } = await create({ isActive: true, stopDate: inHours(24) })
  await disable(id)
  const stopDate = inHours(-0.001)
  assert.equal((await change(id, { stopDate })).status, 400, 'before its start')
  assert.equal((await change(id, { startDate: inHours(-1), stopDate })).status, 200)
  assert.equal((await enable(id)).json.stopDate, OPEN_END)
})

test('closing a planned site keeps its window: it opens when it was planned to, or now', async () => {
  const planned = { startDate: inHours(24), stopDate: inHours(48) }
  const { id } = await create({ ...planned, isActive: true })
  assert.deepEqual(openingOf((await disable(id)).json), { ...planned, isActive: false })
  assert.deepEqual(openingOf((await change(id, { isActive: true })).json), { ...planned, isActive: false })
  const enabled = (await enable(id)).json
  assert.deepEqual([enabled.isActive, enabled.stopDate], [true, planned.stopDate])
})

test('`isActive: false` closes a planned site, unless its window is written with it as it is', async () => {
  const planned = { startDate: inHours(1), stopDate: inHours(48) }
  const isEnabled = async (id: string) => (await change(id, { startDate: inHours(-1) })).json.isActive
  for (const [body, expected] of [
    [{ ...planned, isActive: false }, true],
    [{ isActive: false }, false],
    [{ isActive: false, startDate: inHours(2) }, false],
  ] as const) {
    const { id } = await create({ ...planned, isActive: true })
    assert.equal((await change(id, body)).status, 200)
    assert.equal(await isEnabled(id), expected, JSON.stringify(body))
  }
})

test('a site that is over cannot be written as active, and the answer says why', async () => {
  const over = { startDate: inHours(-2), stopDate: inHours(-1), isActive: true }
  const { id } = await create({})
  const body = { originName: 'example.com', ...over }
  for (const refused of [
    await change(id, over),
    await control.call('POST', '/api/Sites', { ...owner, body }),
  ]) {
    assert.equal(refused.status, 400)
    assert.deepEqual(
      refused.json.errors.map(({ path }: { path: string }) => path),
      ['/stopDate'],
    )
    assert.match(refused.json.errors[0].message, /isActive cannot be true/)
  }
})
