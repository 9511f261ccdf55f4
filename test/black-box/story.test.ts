/** The main job, from the outside: an admin puts a site behind the gate, a researcher goes through, everything counts. */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Outcome, RateLimitPolicy, Site } from '@sallyport/contract'
import { eventually, type Installation, startInstallation } from '../support/installation.ts'
import { type Origin, startOrigin } from '../support/origin.ts'

const GATED_NAME = 'shop.gate.localhost'
let installation: Installation
let origin: Origin
let siteId = ''

before(async () => {
  origin = await startOrigin()
  installation = await startInstallation({ isFirstStart: true })
})
after(async () => {
  await installation?.remove()
  await origin?.close()
})

/** Waits until every live gateway runs the site's last change. */
const untilDeployed = () =>
  eventually(async () => {
    const { body } = await installation.api<Site>('GET', `/api/Sites/${siteId}`)
    return body.isDeploymentProgress === false
  })

/** The total of the last 24 hours. The operation answers a JSON string that holds a JSON document. */
async function counted(): Promise<{ total: number; outcomes: Record<Outcome, number> }> {
  const { body } = await installation.api<string>('GET', '/api/Analytics/getTotalRequest')
  return JSON.parse(body)
}

test('the first-run key opens the admin API, and a stranger does not', async () => {
  const { firstRun } = installation
  const account = await installation.api('GET', '/api/Account/currentUser')
  assert.equal(account.status, 200)
  const organization = await installation.api('GET', '/api/Organization')
  assert.equal(organization.status, 200)
  const output = installation.output()
  assert.ok(output.includes(join(installation.dataDir, 'first-run.json')), 'it is said where it is')
  for (const secret of [firstRun.apiKey, firstRun.password, firstRun.researcher.key])
    assert.ok(!output.includes(secret), 'what is no terminal is shown no secret')
  assert.equal((await installation.api('GET', '/api/sites', undefined, null)).status, 401)
})

test('an admin puts a site behind the gate', async () => {
  const created = await installation.api<Site>('POST', '/api/Sites', {
    originName: origin.url,
    gatedName: GATED_NAME,
    isActive: true,
  })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  assert.equal(created.body.gatedName, GATED_NAME)
  siteId = created.body.id
  const { body } = await installation.api('GET', '/api/sites')
  assert.ok(JSON.stringify(body).includes(siteId))
  await untilDeployed()
})

test('nobody else on the machine can read what is recorded or configured', () => {
  for (const part of ['control', 'clickhouse', 'gateway', 'postgres/cluster'])
    assert.equal(statSync(join(installation.dataDir, part)).mode & 0o077, 0, part)
})

test('a stranger is refused, and the origin hears nothing of it', async () => {
  const refused = await installation.gate(GATED_NAME, '/', { key: null })
  assert.ok([401, 403].includes(refused.status), String(refused.status))
  const wrong = await installation.gate(GATED_NAME, '/', { key: 'rk_live_0000000000000000' })
  assert.ok([401, 403].includes(wrong.status), String(wrong.status))
  assert.equal(origin.seen.length, 0)
})

test('the researcher gets through, and the target arrives byte for byte', async () => {
  const target = "/a/%2e%2E//b;x=1?q=%27'or&q=%zz"
  const answer = await installation.gate(GATED_NAME, target)
  assert.equal(answer.status, 200)
  assert.equal(answer.body, target)
  assert.equal(origin.seen.at(-1)?.target, target)
  assert.equal(origin.seen.at(-1)?.headers['sallyport-key'], undefined, 'the key stays at the gate')
})

test('a rate limit bites at exactly its number', async () => {
  const { body } = await installation.api<{ items: RateLimitPolicy[] }>('GET', '/api/RateLimitPolicies')
  const policy = body.items.find(({ site, perResearcher }) => site.kind === 'fixed' && !perResearcher)
  assert.ok(policy?.site.kind === 'fixed', JSON.stringify(body))
  const { limit, windowMs } = policy.site
  const changed = await installation.api<Site>('POST', '/api/sites/setRateLimiting', {
    id: siteId,
    rateLimit: policy.name,
  })
  assert.equal(changed.body.rateLimit, policy.name)
  await untilDeployed()
  // Windows begin at whole multiples of their length; take one with enough time left.
  const left = windowMs - (Date.now() % windowMs)
  if (left < 4_000) await delay(left + 10)
  const before = origin.seen.length
  const answers: number[] = []
  while (answers.length < limit + 10)
    answers.push(
      ...(await Promise.all(Array.from({ length: 10 }, () => installation.gate(GATED_NAME, '/limited')))).map(
        (answer) => answer.status,
      ),
    )
  assert.equal(answers.filter((status) => status === 200).length, limit)
  assert.equal(origin.seen.length - before, limit)
  assert.ok(answers.every((status) => status === 200 || status === 429))
  const refused = await installation.gate(GATED_NAME, '/limited')
  assert.ok(Number(refused.headers['retry-after']) > 0)
  await installation.api('POST', '/api/sites/setRateLimiting', { id: siteId, rateLimit: '' })
  await untilDeployed()
})

test('a blocked path never reaches the origin, however it is written', async () => {
  const blockList = JSON.stringify([{ pathPrefix: '/admin' }])
  const changed = await installation.api('POST', '/api/Sites/setBlockList', { id: siteId, blockList })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  await untilDeployed()
  const before = origin.seen.length
  for (const target of [
    '/admin',
    '/admin/users?x=1',
    '/ADMIN/',
    '/%61dmin',
    '/%2561dmin',
    '//admin',
    '/./admin',
    '/x/../admin',
    '/x%2f..%2fadmin',
    '/admin;v=1/users',
    '\\admin'.replace('\\', '/\\'),
  ])
    assert.equal((await installation.gate(GATED_NAME, target)).status, 403, target)
  assert.equal(origin.seen.length, before)
  assert.equal((await installation.gate(GATED_NAME, '/administrator')).status, 200)
})

test('disabling a site cuts it off', async () => {
  const disabled = await installation.api<Site>('GET', `/api/Sites/disable/${siteId}`)
  assert.equal(disabled.status, 200)
  assert.equal(disabled.body.isActive, false)
  // A request that runs meanwhile would be cut, and recorded as that although the origin saw it.
  await untilDeployed()
  assert.notEqual((await installation.gate(GATED_NAME, '/')).status, 200)
})

test('the totals come to agree with what the origin saw', async (context) => {
  const saw = origin.seen.length
  const began = performance.now()
  await eventually(async () => (await counted()).outcomes.origin === saw)
  context.diagnostic(`${Math.round(performance.now() - began)} ms later`)
  const total = await counted()
  const sum = Object.values<number>(total.outcomes).reduce((left, right) => left + right, 0)
  assert.equal(total.total, sum)
  assert.ok(total.outcomes.limit > 0 && total.outcomes.block > 0 && total.outcomes.gate > 0)
})

test('it stops cleanly, and a second start finds everything', async () => {
  assert.equal(await installation.stop(), 0)
  await installation.start()
  const { body } = await installation.api<Site>('GET', `/api/Sites/${siteId}`)
  assert.equal(body.gatedName, GATED_NAME)
  const total = await counted()
  assert.equal(total.outcomes.origin, origin.seen.length)
})
