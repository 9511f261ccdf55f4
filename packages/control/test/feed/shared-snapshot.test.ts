/** What gateways are sent first: read once for many, and never older than when they asked. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { FeedMessage, SiteConfig } from '@sallyport/contract'
import type { Database } from '../../src/database/database.ts'
import { createSharedSnapshot, type WriteLines } from '../../src/feed/shared-snapshot.ts'
import { startTestControl } from '../support/control.ts'
import { followFeed } from '../support/feed.ts'

const control = await startTestControl()
after(() => control.close())
const { orgId, keys } = await control.createOrganization('shared')
const owner = { key: keys.owner }
const installation = { id: 'installation', sessionKey: 'k', gateUrl: 'https://sallyport.gate.localhost' }

async function createSite(): Promise<string> {
  const body = { originName: 'example.com', isActive: true }
  const answer = await control.call('POST', '/api/Sites', { ...owner, body })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.id
}
const change = async (id: string, instructions: string): Promise<void> => {
  const answer = await control.call('PATCH', `/api/Sites/${id}`, { ...owner, body: { instructions } })
  assert.equal(answer.status, 200, answer.text)
}

/** The same database, with how often it was read. */
function counted(database: Database): { readonly database: Database; reads(): number } {
  let reads = 0
  const readInstallation: Database['readInstallation'] = (work) => {
    reads += 1
    return database.readInstallation(work)
  }
  return { database: { ...database, readInstallation }, reads: () => reads }
}

/** Takes a transaction: its revision, and what there is by its end. */
async function taken(send: (write: WriteLines) => Promise<number>) {
  let text = ''
  const revision = await send(async (lines) => {
    text += lines.plain.toString()
  })
  const messages = text
    .trimEnd()
    .split('\n')
    .map((line): FeedMessage => JSON.parse(line))
  assert.deepEqual(messages[0], { type: 'begin', mode: 'full', revision })
  assert.deepEqual(messages.at(-1), { type: 'commit', revision })
  const items = new Map<string, unknown>()
  for (const message of messages)
    if (message.type === 'put') items.set(`${message.kind}/${message.id}`, message.value)
    else if (message.type === 'remove') items.delete(`${message.kind}/${message.id}`)
  return { revision, items }
}

test('many that ask at once are sent the same, read once', async () => {
  await createSite()
  const { database, reads } = counted(control.database)
  const everything = createSharedSnapshot(database, installation, null)
  const all = await Promise.all(Array.from({ length: 20 }, () => taken(everything.send)))
  assert.equal(reads(), 1 + all.length, 'everything once, and for each what has changed since')
  for (const { items, revision } of all) {
    assert.deepEqual([...items.keys()], [...(all[0]?.items.keys() ?? [])])
    assert.equal(revision, all[0]?.revision)
  }
  everything.close()
})

test('who asks later is sent what was changed and removed since, in the first transaction', async () => {
  const [changed, removed] = [await createSite(), await createSite()]
  const everything = createSharedSnapshot(control.database, installation, null)
  const first = await taken(everything.send)
  assert.ok(first.items.has(`site/${removed}`))
  await change(changed, 'changed since')
  assert.equal((await control.call('DELETE', `/api/Sites/${removed}`, owner)).status, 204)
  const added = await createSite()
  const second = await taken(everything.send)
  assert.ok(second.revision > first.revision)
  assert.ok(!second.items.has(`site/${removed}`))
  assert.ok(second.items.has(`site/${added}`))
  const site = second.items.get(`site/${changed}`) as SiteConfig
  assert.equal(site.instructions, 'changed since')
  everything.close()
})

test('where much has changed it is read anew, and who takes slowly gets a whole state all the same', async () => {
  const id = await createSite()
  const { database, reads } = counted(control.database)
  const everything = createSharedSnapshot(database, installation, null)
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const slow = taken((write) =>
    everything.send(async (lines) => {
      begun.resolve()
      await goOn.promise
      await write(lines)
    }),
  )
  await begun.promise
  const before = reads()
  const actor = { kind: 'operator', id: 'o', email: 'o' } as const
  await control.database.change({ orgId, actor, requestId: 'r' }, async (tx) => {
    await tx.query(`UPDATE sites SET instructions = repeat('x', 2000000) WHERE id = $1`, [id])
    const target = { kind: 'site' as const, id }
    tx.record({ action: 'site.update', target, before: null, after: null, config: [['site', id]] })
  })
  const next = await taken(everything.send)
  assert.equal(reads() - before, 3, 'what has changed, everything, what has changed since')
  assert.equal((next.items.get(`site/${id}`) as SiteConfig).instructions.length, 2_000_000)
  goOn.resolve()
  const late = await slow
  assert.ok(late.revision < next.revision)
  assert.ok(late.items.has(`site/${id}`))
  everything.close()
})

test('who takes gzip is sent the same, and changes of every size as they come', async () => {
  const id = await createSite()
  const [plain, packed] = [await followFeed(control.url), await followFeed(control.url, undefined, 'gzip')]
  const isSame = (items: ReadonlyMap<string, unknown>): boolean => isDeepStrictEqual(items, plain.items)
  await plain.until((items) => items.has(`site/${id}`))
  await packed.until(isSame)
  for (const instructions of ['short', `${'long '.repeat(2_000)}text`]) {
    await change(id, instructions)
    const isChanged = (items: ReadonlyMap<string, unknown>): boolean =>
      (items.get(`site/${id}`) as SiteConfig).instructions === instructions
    await plain.until(isChanged)
    await packed.until(isSame)
  }
  plain.close()
  packed.close()
})

test('what is packed is shorter, and keys stand in it as they are', async () => {
  const id = await createSite()
  await change(id, 'words that stand there once more and once more and once more '.repeat(100))
  const everything = createSharedSnapshot(control.database, installation, null)
  const [plain, packed]: [Buffer[], Buffer[]] = [[], []]
  await everything.send(async (lines) => {
    plain.push(lines.plain)
    packed.push(await lines.packed())
  })
  const [text, wire] = [Buffer.concat(plain), Buffer.concat(packed)]
  assert.ok(wire.length < text.length / 2)
  assert.ok(gunzipSync(wire).equals(text))
  const keys = [...text.toString().matchAll(/"sessionKey":"([^"]+)"/g)].map(([, key]) => key ?? '')
  assert.ok(keys.length >= 2, 'of the installation and of each organization')
  for (const key of keys) assert.ok(wire.includes(key))
  everything.close()
})

test('through changes that go on, gateways that come and go end up with the same', async () => {
  const id = await createSite()
  let isOver = false
  const changes = (async () => {
    let last = ''
    for (let number = 0; !isOver; number += 1) {
      last = `change ${number}`
      await change(id, last)
    }
    return last
  })()
  const feeds = []
  for (let count = 0; count < 12; count += 1) {
    const feed = await followFeed(control.url)
    await feed.until((items) => items.size > 0)
    feeds.push(feed)
  }
  isOver = true
  const last = await changes
  const instructionsOf = (items: ReadonlyMap<string, unknown>): string | undefined =>
    (items.get(`site/${id}`) as SiteConfig | undefined)?.instructions
  for (const feed of feeds) {
    await feed.until((items) => instructionsOf(items) === last)
    feed.close()
  }
})
