import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUIDv7, sign } from 'node:crypto'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { FILES_OF_FORMAT, type PackVerification } from '@sallyport/evidence-pack'
import fc from 'fast-check'
import { extract } from 'tar-stream'
import { archiveOf } from '../../../../evidence-pack/test/support/packs.ts'
import { deriveEvidenceKey } from '../../../src/features/evidence/evidence-key.ts'
import { readAudit } from '../../../src/features/evidence/store.ts'
import { type PackContent, RecordGrew, writePack } from '../../../src/features/evidence/write-pack.ts'
import { verifyPack } from '../../../src/index.ts'
import { postBatch, startTestControl } from '../../support/control.ts'
import { event, hit } from '../../support/traffic.ts'

const control = await startTestControl()
const mine = await control.createOrganization('mine')
const other = await control.createOrganization('other')
const admin = { key: mine.keys.admin }
let siteId: string
let evidence: Buffer
let fingerprint: string
const STRETCH_BYTES = 64

after(() => control.close())
before(async () => {
  const site = await control.call('POST', '/api/Sites', {
    ...admin,
    body: { originName: 'https://shop.example.com' },
  })
  siteId = site.json.id
  const elsewhere = await control.call('POST', '/api/Sites', {
    ...admin,
    body: { originName: 'https://hidden.example' },
  })
  await control.call('PATCH', `/api/Sites/${siteId}`, { ...admin, body: { instructions: 'Be kind.' } })
  const hacker = await control.call('POST', '/api/Hackers', {
    ...admin,
    body: { email: 'ada@example.com', name: 'Ada' },
  })
  const recorded = (given: object) =>
    event({
      id: randomUUIDv7(),
      orgId: mine.orgId,
      siteId,
      researcherId: hacker.json.id,
      time: Date.now() - 10,
      ...given,
    })
  await control.call('POST', '/api/Hackers', {
    ...admin,
    body: { email: 'gone@example.com', name: 'Gone', expires: '2020-01-01T00:00:00Z' },
  })
  const events = [
    recorded({ hits: [hit()], target: '/?q=\u001b[31m<script>' }),
    recorded({ outcome: 'block', rule: 'rule-1' }),
    recorded({}),
    recorded({ siteId: elsewhere.json.id, path: '/not-of-this-site' }),
  ]
  await store(events)
  evidence = await download(`/api/Evidence/${siteId}?gte=now-1h`)
  const key = await fetch(`${control.url}/.well-known/sallyport/evidence-key`)
  fingerprint = ((await key.json()) as { fingerprint: string }).fingerprint
})

const store = (events: Parameters<typeof postBatch>[1]): Promise<void> => postBatch(control, events)

async function download(path: string): Promise<Buffer> {
  const answer = await fetch(control.url + path, { headers: { authorization: `Bearer ${mine.keys.admin}` } })
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

const check = (bytes: Uint8Array, expected = fingerprint): Promise<PackVerification> =>
  verifyPack(Readable.from([Buffer.from(bytes)]), expected)

async function filesOf(bytes: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for await (const entry of Readable.from([bytes]).pipe(extract())) {
    const chunks: Buffer[] = []
    for await (const chunk of entry) chunks.push(chunk as Buffer)
    files.set(entry.header.name, Buffer.concat(chunks).toString('utf8'))
  }
  return files
}

test('an untouched pack is intact, and names the key that signed it', async () => {
  const verified = await check(evidence)
  assert.deepEqual(verified.problems, [])
  assert.equal(verified.isIntact, true)
  assert.equal(verified.manifest?.traffic.events, 3)
  assert.equal(verified.fingerprint, fingerprint)
  assert.deepEqual(await archiveOf(await filesOf(evidence)), evidence)
})

test('it says who had access, what was configured and what matched, and nothing of other sites', async () => {
  const files = await filesOf(evidence)
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

test('a changed part of any file shows', async () => {
  const files = await filesOf(evidence)
  for (const name of [...FILES_OF_FORMAT['sallyport-evidence/2'], 'manifest.json', 'manifest.sig']) {
    const text = files.get(name) ?? ''
    const changed = new Map(files).set(
      name,
      text.replace(/[a-z]/i, (letter) => (letter === 'x' ? 'y' : 'x')),
    )
    assert.equal((await check(await archiveOf(changed))).isIntact, false, `${name} edited`)
    const missing = new Map(files)
    missing.delete(name)
    assert.equal((await check(await archiveOf(missing))).isIntact, false, `${name} removed`)
  }
  assert.equal(
    (await check(await archiveOf(new Map(files).set('extra.txt', 'x')))).isIntact,
    false,
    'a file added',
  )
  assert.equal(
    (await check(await archiveOf(new Map([...files].reverse())))).isIntact,
    false,
    'files in another order',
  )
})

test('a line of the traffic that is removed, doubled or moved shows, also where hashes of files are made anew', async () => {
  const files = await filesOf(evidence)
  const [first = '', second = '', third = ''] = (files.get('traffic.ndjson') ?? '').trimEnd().split('\n')
  for (const lines of [
    [first, third],
    [second, third],
    [first, second],
    [first, first, second, third],
    [second, first, third],
  ]) {
    const changed = new Map(files).set('traffic.ndjson', `${lines.join('\n')}\n`)
    const { problems } = await check(await archiveOf(changed))
    assert.ok(
      problems.some((problem) => /chain of the traffic|traffic\.ndjson, line/.test(problem)),
      problems.join(),
    )
  }
})

test('one changed byte anywhere shows', async () => {
  // A byte in each stretch of the archive, so that no header, padding or end of it is left out by chance.
  for (let start = 0; start < evidence.length; start += STRETCH_BYTES) {
    const place = Math.min(evidence.length - 1, start + Math.floor(Math.random() * STRETCH_BYTES))
    const changed = Buffer.from(evidence)
    changed[place] = (changed[place] ?? 0) ^ (1 << (place % 8))
    assert.equal((await check(changed)).isIntact, false, `byte ${place}`)
  }
  await fc.assert(
    fc.asyncProperty(fc.nat(evidence.length - 1), fc.integer({ min: 1, max: 255 }), async (place, change) => {
      const changed = Buffer.from(evidence)
      changed[place] = (changed[place] ?? 0) ^ change
      assert.equal((await check(changed)).isIntact, false)
    }),
    { numRuns: 60 },
  )
  assert.equal((await check(evidence.subarray(0, evidence.length / 2))).isIntact, false)
  assert.equal((await check(Buffer.concat([evidence, Buffer.from('more')]))).isIntact, false)
  assert.equal((await check(Buffer.alloc(0))).isIntact, false)
})

test('a pack that somebody else signed is found out by the fingerprint', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const files = await filesOf(evidence)
  const manifest = JSON.parse(files.get('manifest.json') ?? '')
  manifest.publicKey = publicKey.export({ format: 'pem', type: 'spki' })
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  files
    .set('manifest.json', text)
    .set('manifest.sig', sign(null, Buffer.from(text), privateKey).toString('base64'))
  const forged = await archiveOf(files)
  assert.equal((await check(forged, '')).isIntact, true)
  const { isIntact, problems } = await check(forged)
  assert.equal(isIntact, false)
  assert.match(problems.join(), /signed by sha256:/)
})

test('a pack of the format before coverage is checked as it was written', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signed = async (format: string, without: string): Promise<PackVerification> => {
    const files = await filesOf(evidence)
    const manifest = JSON.parse(files.get('manifest.json') ?? '')
    manifest.format = format
    manifest.publicKey = publicKey.export({ format: 'pem', type: 'spki' })
    manifest.files = manifest.files.filter(({ name }: { name: string }) => name !== without)
    const text = `${JSON.stringify(manifest, null, 2)}\n`
    files
      .set('manifest.json', text)
      .set('manifest.sig', sign(null, Buffer.from(text), privateKey).toString('base64'))
    files.delete(without)
    return check(await archiveOf(files), '')
  }
  assert.deepEqual((await signed('sallyport-evidence/1', 'coverage.json')).problems, [])
  assert.equal((await signed('sallyport-evidence/2', 'coverage.json')).isIntact, false)
  assert.equal((await signed('sallyport-evidence/1', '')).isIntact, false)
  assert.equal((await signed('sallyport-evidence/3', '')).isIntact, false)
})

test('the pack of a project has its items and checks, what of the coverage is theirs, and its audit entries', async () => {
  const make = async (method: string, path: string, body: object, key = mine.keys.admin) => {
    const answer = await control.call(method, path, { key, body })
    assert.ok(answer.status < 300, answer.text)
    return answer.json
  }
  const project = (await make('POST', '/api/Projects', { name: 'Winter' })).id
  const secret = (await make('POST', '/api/Projects', { name: 'Nobody else' })).id
  const item = async (name: string, projectId: string) =>
    (await make('PUT', '/api/Projects/updateProjectItem', { name, projectId })).id
  const [tied, untied, removed, foreign] = [
    ...[await item('tied', project), await item('untied', project), await item('removed', project)],
    await item('not of it', secret),
  ]
  const ties = [{ siteId }, { siteId, method: 'GET', template: '/never-there' }]
  await make('PUT', `/api/Projects/items/${tied}/check`, { state: 'passed', ties })
  for (const id of [removed, foreign])
    await make('PUT', `/api/Projects/items/${id}/check`, { state: 'issues' })
  await control.call('DELETE', `/api/Projects/items/${removed}`, admin)
  const made = await download(`/api/Evidence/${siteId}?gte=now-1h&project=${project}`)
  const verified = await check(made)
  assert.deepEqual(verified.problems, [])
  assert.deepEqual(verified.manifest?.project, { id: project, name: 'Winter' })
  const files = await filesOf(made)
  const told = JSON.parse(files.get('project.json') ?? '')
  assert.equal(told.project.name, 'Winter')
  assert.deepEqual(
    told.items.map((one: { id: string; state: string }) => [one.id, one.state]),
    [
      [untied, 'not_started'],
      [tied, 'passed'],
    ],
  )
  const [, ofSite] = told.items
  assert.deepEqual(
    ofSite.ties.map((one: { status: string }) => one.status),
    ['in_force', 'vanished'],
  )
  // What is said of an item is what the coverage in the same pack adds up to.
  const { operations } = JSON.parse(files.get('coverage.json') ?? '')
  assert.equal(
    ofSite.verdict.requests,
    operations.reduce((sum: number, one: { requests: number }) => sum + one.requests, 0),
  )
  const audit = files.get('audit.ndjson') ?? ''
  for (const [id, isTold] of [
    [project, true],
    [tied, true],
    [removed, true],
    [secret, false],
    [foreign, false],
  ] as const)
    assert.equal(audit.includes(id), isTold, id)
  // Without the project, nothing of it: the pack is as it was before there were any.
  const alone = await download(`/api/Evidence/${siteId}?gte=now-1h`)
  assert.equal((await filesOf(alone)).has('project.json'), false)
  assert.equal((await check(alone)).manifest?.format, 'sallyport-evidence/2')
  files.set('project.json', (files.get('project.json') ?? '').replace('"passed"', '"issues"'))
  assert.match(
    (await check(await archiveOf(files))).problems.join(),
    /project\.json is not the file that was signed/,
  )
})

test('of ties to other sites the pack of a project tells how many there are, in its audit entries, too', async () => {
  const make = async (method: string, path: string, body?: object) => {
    const answer = await control.call(method, path, { ...admin, ...(body && { body }) })
    assert.ok(answer.status < 300, answer.text)
    return answer.json
  }
  const elsewhere = (await make('POST', '/api/Sites', { originName: 'https://elsewhere.example' })).id
  const project = (await make('POST', '/api/Projects', { name: 'Spring' })).id
  const item = async (name: string) =>
    (await make('PUT', '/api/Projects/updateProjectItem', { name, projectId: project })).id
  const [both, gone] = [await item('tied to both'), await item('tied to another, and removed')]
  const setCheck = (id: string, body: object) => make('PUT', `/api/Projects/items/${id}/check`, body)
  const ties = [{ siteId }, { siteId: elsewhere, method: 'GET', template: '/hidden/{operation}' }]
  await setCheck(both, { state: 'not_started', ties: [{ siteId }] })
  await setCheck(both, { state: 'not_started', ties })
  await setCheck(both, { state: 'passed', note: 'told all the same', ties })
  await setCheck(gone, { state: 'not_started', ties: ties.slice(1) })
  await make('DELETE', `/api/Projects/items/${gone}`)
  const made = await download(`/api/Evidence/${siteId}?gte=now-1h&project=${project}`)
  assert.deepEqual((await check(made)).problems, [])
  const files = await filesOf(made)
  for (const [name, text] of files)
    assert.ok(!text.includes(elsewhere) && !text.includes('/hidden/'), `${name} tells of another site`)
  const audit = files.get('audit.ndjson') ?? ''
  assert.match(audit, /told all the same/)
  assert.match(audit, /tied to another, and removed/)
  const { items } = JSON.parse(files.get('project.json') ?? '')
  assert.deepEqual(
    items.map((one: { tiesElsewhere: number }) => one.tiesElsewhere),
    [1],
  )
})

test('a project of another organization is none, and the field is named', async () => {
  const theirs = await control.call('POST', '/api/Projects', {
    key: other.keys.admin,
    body: { name: 'theirs' },
  })
  for (const project of [theirs.json.id, 'nonsense']) {
    const answer = await control.call('GET', `/api/Evidence/${siteId}?project=${project}`, admin)
    assert.deepEqual([answer.status, answer.json.errors[0].path], [400, 'query/project'])
  }
  const mineOfTheirs = await control.call('GET', `/api/Evidence/${siteId}?project=${theirs.json.id}`, {
    key: other.keys.admin,
  })
  assert.equal(mineOfTheirs.status, 404)
})

test('a signature in another spelling of the same bytes is no signature', async () => {
  const files = await filesOf(evidence)
  const signature = files.get('manifest.sig') ?? ''
  // 64 bytes end in two padding signs, so four bits of the last character before them say nothing.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const last = alphabet[alphabet.indexOf(signature.at(-3) ?? '') + 1]
  const other = `${signature.slice(0, -3)}${last}==`
  assert.ok(Buffer.from(other, 'base64').equals(Buffer.from(signature, 'base64')))
  assert.equal((await check(await archiveOf(files))).isIntact, true)
  assert.equal((await check(await archiveOf(files.set('manifest.sig', other)))).isIntact, false)
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

test('a pack of a window that has not ended ends now, whatever comes meanwhile', async () => {
  let isMade = false
  const traffic = (async () => {
    while (!isMade) await store([event({ id: randomUUIDv7(), orgId: mine.orgId, siteId, time: Date.now() })])
  })()
  try {
    const made = await download(`/api/Evidence/${siteId}?gte=now-1h&lte=now%2B1h`)
    assert.deepEqual((await check(made)).problems, [])
    const manifest = JSON.parse((await filesOf(made)).get('manifest.json') ?? '')
    assert.ok(Date.parse(manifest.window.lte) <= Date.now())
  } finally {
    isMade = true
    await traffic
  }
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
  assert.deepEqual((await check(await download(`/api/Evidence/${id}`))).problems, [])
})
