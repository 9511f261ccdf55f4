/**
 * Previews against what then happens: traffic is recorded, a change is previewed, the change is made, and the same traffic is
 * sent again through the real gate. Equal where the preview says `exact`, no more where it says `atLeast`.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { ChangePreview, PreviewedChange, Site } from '@sallyport/contract'
import { bareEnvironment } from '../../support/environment.ts'
import { eventually, startInstallation } from '../../support/installation.ts'
import { startOrigin } from '../../support/origin.ts'
import { createSite, untilDeployed } from '../../support/site.ts'

const MAIN = resolve(import.meta.dirname, '../../../packages/sallyport/src/main.ts')
const installation = await startInstallation()
const origin = await startOrigin()
after(async () => {
  await installation.remove()
  await origin.close()
})

interface Sent {
  readonly target: string
  readonly method?: string
  readonly by?: 'first' | 'second'
  readonly headers?: Readonly<Record<string, string>>
}

const ATTACKS: readonly Sent[] = [
  { target: '/items?id=1%27%20union%20select%20password%20from%20users--' },
  { target: '/items?q=%3Cscript%3Ealert(1)%3C/script%3E', by: 'second' },
  { target: '/items?file=../../../../etc/passwd' },
  { target: '/a/../reports' },
]
const BENIGN: readonly Sent[] = [
  { target: '/items?page=2' },
  { target: '/reports/2026' },
  { target: '/%72eports/x', by: 'second' },
  { target: '/reports', method: 'POST', by: 'second' },
  { target: '/reporting' },
  { target: '/' },
]
const TRAFFIC = [...ATTACKS, ...BENIGN, ...BENIGN]

const keys = { first: installation.firstRun.researcher.key, second: '' }
let secondId = ''

before(async () => {
  const made = await installation.api<{ id: string }>('POST', '/api/Hackers', {
    email: 'second@example.com',
    name: 'Second',
  })
  secondId = made.body.id
  const rotated = await installation.api<{ key: string }>('POST', `/api/Hackers/${secondId}/rotateKey`)
  keys.second = rotated.body.key
})

let sites = 0
const newSite = (): Promise<Site> => {
  sites += 1
  return createSite(installation, `preview-${sites}.gate.localhost`, origin.url)
}

/** Sends all of it, one after the other; returns how many were refused by the gate. */
async function send(site: Site, traffic: readonly Sent[]): Promise<number> {
  let refused = 0
  for (const { target, method = 'GET', by = 'first', headers = {} } of traffic) {
    const seen = origin.seen.length
    const { status } = await installation.gate(site.gatedName, target, { method, key: keys[by], headers })
    if (origin.seen.length === seen) refused += 1
    else assert.equal(status, 200)
  }
  return refused
}

async function preview(change: PreviewedChange, requests: number): Promise<ChangePreview> {
  return eventually(async () => {
    const { status, body } = await installation.api<ChangePreview>('POST', '/api/Analytics/previewChange', {
      change,
    })
    assert.equal(status, 200, JSON.stringify(body))
    return body.requests === requests && body
  })
}

/** Records the traffic on a new site, previews, changes, and sends it again. */
async function compare(
  changeOf: (site: Site) => PreviewedChange,
  make: (site: Site) => Promise<{ readonly status: number; readonly body: unknown }>,
  traffic: readonly Sent[] = TRAFFIC,
) {
  const site = await newSite()
  assert.equal(await send(site, traffic), 0)
  const previewed = await preview(changeOf(site), traffic.length)
  const made = await make(site)
  assert.equal(made.status, 200, JSON.stringify(made.body))
  await untilDeployed(installation, site.id)
  const refused = await send(site, traffic)
  if (previewed.precision === 'exact') assert.equal(previewed.refused, refused)
  else assert.ok(previewed.refused <= refused, `${previewed.refused} were previewed, ${refused} refused`)
  assert.equal(previewed.isWhole, true)
  return { site, previewed, refused }
}

test('a list admits exactly whom it was previewed to', async () => {
  const { previewed, refused } = await compare(
    ({ id }) => ({ kind: 'accessList', siteId: id, hackerIds: [secondId] }),
    async ({ id }) => {
      await installation.api('PUT', `/api/Sites/${id}/hackers`, { ids: [secondId] })
      return installation.api('POST', '/api/Sites/allowedHackerType', { id, allowedHackerType: true })
    },
  )
  const others = TRAFFIC.filter(({ by = 'first' }) => by === 'first').length
  assert.deepEqual([previewed.precision, previewed.refused, refused], ['exact', others, others])
  assert.deepEqual(
    previewed.topResearchers.map(({ email }) => email),
    [installation.firstRun.researcher.email],
  )
  assert.equal(previewed.benign, BENIGN.filter(({ by = 'first' }) => by === 'first').length * 2)
  assert.equal(previewed.samples.length, others)
})

test('a window and a stop refuse exactly what was previewed', async () => {
  const later = new Date(Date.now() + 86_400_000).toISOString()
  const latest = new Date(Date.now() + 2 * 86_400_000).toISOString()
  const window = { startDate: later, stopDate: latest }
  const closed = await compare(
    ({ id }) => ({ kind: 'window', siteId: id, ...window }),
    ({ id }) => installation.api('PATCH', `/api/Sites/${id}`, window),
  )
  assert.deepEqual([closed.previewed.precision, closed.refused], ['exact', TRAFFIC.length])

  const stopped = await compare(
    ({ id }) => ({ kind: 'stop', siteId: id }),
    ({ id }) => installation.api('GET', `/api/Sites/disable/${id}`),
  )
  assert.deepEqual([stopped.previewed.precision, stopped.refused], ['exact', TRAFFIC.length])

  // One that ends later refuses nothing yet, and says from when on.
  const { id } = await newSite()
  const start = new Date(Date.now() - 86_400_000).toISOString()
  const ends = await preview({ kind: 'window', siteId: id, startDate: start, stopDate: later }, 0)
  assert.equal(ends.takesEffect, later)
})

test('enforcing refuses exactly the attacks that were recorded, at every level', async () => {
  const enforced = await compare(
    ({ id }) => ({ kind: 'firewall', siteId: id, mode: 'enforce' }),
    ({ id }) => installation.api('PUT', `/api/Sites/${id}/firewall`, { mode: 'enforce' }),
  )
  assert.deepEqual([enforced.previewed.precision, enforced.refused], ['exact', ATTACKS.length])
  assert.equal(enforced.previewed.benign, 0)

  const watching = await compare(
    ({ id }) => ({ kind: 'firewall', siteId: id, mode: 'enforce', level: 'watch' }),
    ({ id }) => installation.api('PUT', `/api/Sites/${id}/firewall`, { mode: 'enforce', level: 'watch' }),
  )
  assert.equal(watching.previewed.precision, 'exact')

  // With less evidence there may be more hits than were recorded.
  const strict = await compare(
    ({ id }) => ({ kind: 'firewall', siteId: id, mode: 'enforce', level: 'strict' }),
    ({ id }) => installation.api('PUT', `/api/Sites/${id}/firewall`, { mode: 'enforce', level: 'strict' }),
  )
  assert.deepEqual(strict.previewed.gaps, ['hitsBelowLevel'])

  // What covers one path is not refused elsewhere.
  const overrides = [{ id: 'one', pathPrefix: '/items', mode: 'enforce' as const, note: '', parameter: 'id' }]
  const partly = await compare(
    ({ id }) => ({ kind: 'firewall', siteId: id, overrides }),
    ({ id }) => installation.api('PUT', `/api/Sites/${id}/firewall`, { mode: 'observe', overrides }),
  )
  assert.deepEqual([partly.previewed.refused, partly.refused], [1, 1])
})

test('block rules refuse what was previewed in every spelling, and more where a header names the path', async () => {
  const rules = [{ pathPrefix: '/reports', methods: [], status: 403, enabled: true }]
  const named = { target: '/items', headers: { 'X-Original-URL': '/reports/1' } }
  const { previewed, refused } = await compare(
    ({ id }) => ({ kind: 'blockRules', siteId: id, rules }),
    ({ id }) => installation.api('POST', '/api/Sites/setBlockList', { id, blockList: JSON.stringify(rules) }),
    [...TRAFFIC, named],
  )
  assert.deepEqual([previewed.precision, previewed.gaps], ['atLeast', ['headers']])
  assert.deepEqual([previewed.refused, refused], [7, 8])
})

test('a limit refuses exactly as many as it does when the same requests come again', async () => {
  const sallyport = async (...args: string[]): Promise<string> =>
    (
      await promisify(execFile)(process.execPath, [MAIN, ...args], {
        env: { ...bareEnvironment, SALLYPORT_DATA_DIR: installation.dataDir },
      })
    ).stdout
  const day = { kind: 'fixed', windowMs: 86_400_000 }
  await sallyport(
    ...['policies', 'create', 'few', '--site', JSON.stringify({ ...day, limit: 12 })],
    ...['--per-researcher', JSON.stringify({ ...day, limit: 9 })],
  )
  await sallyport('plans', 'change', 'standard', '--policies', 'fixed,sliding,bucket,concurrency,shared,few')
  const { previewed, refused } = await compare(
    ({ id }) => ({ kind: 'rateLimit', siteId: id, rateLimit: 'few' }),
    ({ id }) => installation.api('POST', '/api/sites/setRateLimiting', { id, rateLimit: 'few' }),
  )
  assert.equal(previewed.precision, 'exact')
  assert.ok(refused > 2, `${refused} were refused`)
})

test('a pause refuses all that a researcher sent to any site', async () => {
  const site = await newSite()
  assert.equal(await send(site, TRAFFIC), 0)
  const theirs = TRAFFIC.filter(({ by }) => by === 'second').length
  const before = await eventually(async () => {
    const { body } = await installation.api<ChangePreview>('POST', '/api/Analytics/previewChange', {
      change: { kind: 'pause', hackerIds: [secondId] },
    })
    return body.samples.filter(({ siteId }) => siteId === site.id).length === theirs && body
  })
  assert.deepEqual([before.precision, before.researchers, before.refused], ['exact', 1, before.requests])
  await installation.api('PATCH', `/api/Hackers/${secondId}`, { paused: true })
  // One that is under way may reach the origin and be cut.
  await eventually(
    async () => (await installation.gate(site.gatedName, '/', { key: keys.second })).status === 403,
  )
  assert.equal(await send(site, TRAFFIC), theirs)
})
