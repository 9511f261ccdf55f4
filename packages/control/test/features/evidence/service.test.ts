/** What is in a pack and who gets one, also where much is stored before it or meanwhile. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { deriveEvidenceKey } from '../../../src/features/evidence/evidence-key.ts'
import { readAudit } from '../../../src/features/evidence/store.ts'
import { type PackContent, RecordGrew, writePack } from '../../../src/features/evidence/write-pack.ts'
import { postBatch } from '../../support/control.ts'
import { event } from '../../support/traffic.ts'
import { filesOf, startWithTraffic } from './packs.ts'

const { control, mine, other, admin, siteId, download, check } = await startWithTraffic()
after(() => control.close())

test('it says who had access, what was configured and what matched, and nothing of other sites', async () => {
  const files = await filesOf(await download(siteId, '?gte=now-1h'))
  const access = JSON.parse(files.get('access.json') ?? '')
  assert.equal(access.admits, 'all')
  assert.deepEqual(
    access.researchers.map(({ email, admitted }: { email: string; admitted: boolean }) => [email, admitted]),
    [
      ['ada@example.com', true],
      ['gone@example.com', false],
    ],
  )
  assert.equal(access.traffic[0].requests, 3)
  assert.equal(JSON.parse(files.get('site.json') ?? '').instructions, 'Be kind.')
  assert.equal(JSON.parse(files.get('firewall.json') ?? '').rules.length, 2)
  const coverage = JSON.parse(files.get('coverage.json') ?? '')
  assert.deepEqual([coverage.elsewhere, coverage.operations], [{ requests: 3, attempts: 1 }, []])
  assert.deepEqual(coverage.crossings.pairs, [])
  assert.match(files.get('audit.ndjson') ?? '', /Be kind\./)
  const all = [...files.values()].join('\n')
  assert.ok(!all.includes('hidden.example') && !all.includes('/not-of-this-site'))
})

test('another organization gets no evidence of the site', async () => {
  const answer = await control.call('GET', `/api/Evidence/${siteId}`, { key: other.keys.owner })
  assert.equal(answer.status, 404)
  assert.equal((await control.call('GET', '/api/Evidence/x', admin)).status, 404)
  assert.equal((await control.call('GET', `/api/Evidence/${siteId}?gte=never`, admin)).status, 400)
  assert.equal((await control.call('GET', `/api/Evidence/${siteId}`, { key: mine.keys.viewer })).status, 403)
})

test('entries of the audit log whose times run against their order are in the pack', async () => {
  const organization = await control.createOrganization('inverted')
  const key = organization.keys.admin
  const made = await control.call('POST', '/api/Sites', { key, body: { originName: 'https://two.example' } })
  for (const instructions of ['one', 'two'])
    await control.call('PATCH', `/api/Sites/${made.json.id}`, { key, body: { instructions } })
  const lines = await control.database.read(organization.orgId, (tx) => {
    const late: typeof tx = {
      ...tx,
      // As if the second entry had been made after the window, by its time.
      query: (text, values) =>
        tx.query(
          text.replaceAll(
            'audit_log',
            "(SELECT org_id, sequence, entry, hash, actor, action, target, CASE WHEN sequence = 2 THEN now() + interval '1 day' ELSE time END AS time FROM audit_log) AS audit_log",
          ),
          values,
        ),
    }
    return readAudit(late, organization.orgId, made.json.id, new Date())
  })
  assert.deepEqual(
    lines.map(({ sequence }) => sequence),
    [1, 2, 3],
  )
})

test('a pack is not made where something was stored meanwhile', async () => {
  const content = { audit: [] } as unknown as PackContent
  const key = deriveEvidenceKey(new Uint8Array(32))
  await assert.rejects(
    writePack(content, Readable.from([]), async () => false, key),
    RecordGrew,
  )
})

test('what is written down meanwhile has no name in the temporary folder, so a process that is killed leaves none of it', async (context) => {
  const folder = temporaryFolder(context)
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  context.after(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  })
  const seen: string[][] = []
  async function* pages() {
    for (let page = 0; page < 3; page += 1) {
      yield [{ page }]
      seen.push(readdirSync(folder))
    }
  }
  const content = { audit: [] } as unknown as PackContent
  const packed = await writePack(content, pages(), async () => true, deriveEvidenceKey(Buffer.alloc(32)))
  seen.push(readdirSync(folder))
  const files = await filesOf(await buffer(packed))
  assert.deepEqual(seen, [[], [], [], []])
  assert.equal(files.get('traffic.ndjson')?.trimEnd().split('\n').length, 3)
})

test('a pack of a window that has not ended ends now, whatever comes meanwhile', async () => {
  let isMade = false
  const traffic = (async () => {
    while (!isMade)
      await postBatch(control, [event({ id: randomUUIDv7(), orgId: mine.orgId, siteId, time: Date.now() })])
  })()
  try {
    const made = await download(siteId, '?gte=now-1h&lte=now%2B1h')
    assert.deepEqual((await check(made)).problems, [])
    const manifest = JSON.parse((await filesOf(made)).get('manifest.json') ?? '')
    assert.ok(Date.parse(manifest.window.lte) <= Date.now())
  } finally {
    isMade = true
    await traffic
  }
})

test('what is past its retention is in no part of a pack, whatever of it is not deleted yet, and what is not is in each', async () => {
  const HOUR_MS = 3_600_000
  const { json: site } = await control.call('POST', '/api/Sites', {
    ...admin,
    body: { originName: 'https://long.example.com' },
  })
  const keptFrom = Date.now() - 90 * 24 * HOUR_MS
  // The sums of the first day that is kept in part are past their retention as soon as any of it is.
  const times = [keptFrom - 5_000, keptFrom + 2 * HOUR_MS, keptFrom + 30 * HOUR_MS]
  const given = { orgId: mine.orgId, siteId: site.id }
  await postBatch(
    control,
    times.map((time) => event({ ...given, id: randomUUIDv7(), time })),
  )
  const files = await filesOf(await download(site.id, '?gte=now-100d'))
  const read = (name: string) => JSON.parse(files.get(name) ?? '')
  assert.equal(read('manifest.json').traffic.events, 2)
  assert.equal(read('firewall.json').requests, 2)
  assert.equal(read('access.json').traffic[0].requests, 2)
  assert.equal(read('coverage.json').elsewhere.requests, 2)
  const window = Date.parse(read('manifest.json').window.gte)
  assert.ok(window > keptFrom && window < keptFrom + 2 * HOUR_MS)
})

test('a pack with the largest block list before and after is intact', async () => {
  const site = await control.call('POST', '/api/Sites', {
    ...admin,
    body: { originName: 'https://many-rules.example.com' },
  })
  const id = site.json.id
  for (const prefix of ['/a', '/b']) {
    const rules = Array.from({ length: 230 }, (_, i) => ({
      pathPrefix: `${prefix}${i}`,
      note: '"'.repeat(500),
    }))
    const answer = await control.call('POST', '/api/Sites/setBlockList', {
      ...admin,
      body: { id, blockList: JSON.stringify(rules) },
    })
    assert.equal(answer.status, 200)
  }
  assert.deepEqual((await check(await download(id))).problems, [])
})
