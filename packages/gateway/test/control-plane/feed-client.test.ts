import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type FeedMessage, feedPut, type ResearcherConfig } from '@sallyport/contract'
import { packedMembers, storedMembers } from '@sallyport/toolbox'
import fc from 'fast-check'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { ControlUrls } from '../../src/control-plane/control-urls.ts'
import { GatewayCredential } from '../../src/control-plane/credential.ts'
import { FeedClient } from '../../src/control-plane/feed-client.ts'
import { closeAtEnd, temporaryDirectory, until } from '../record/support.ts'
import { putResearcher, putSite, ScriptedFeed, sampleResearcher } from '../snapshot/support.ts'

const full = (revision: number, ...items: FeedMessage[]): FeedMessage[] => [
  { type: 'begin', mode: 'full', revision },
  ...items,
  { type: 'commit', revision },
]
const delta = (revision: number, ...items: FeedMessage[]): FeedMessage[] => [
  { type: 'begin', mode: 'delta', revision },
  ...items,
  { type: 'commit', revision },
]

async function startFeed(context: TestContext, opening: FeedMessage[]): Promise<ScriptedFeed> {
  const feed = new ScriptedFeed(context)
  feed.opening = opening
  await feed.start()
  return feed
}

async function startClient(
  context: TestContext,
  controlUrl: string,
  directory: string,
  begin?: Promise<void>,
): Promise<{ client: FeedClient; lines: string[]; path: string }> {
  const path = join(directory, 'snapshot.ndjson')
  const lines: string[] = []
  const log = (_level: string, line: string): number => lines.push(line)
  const options = {
    controlUrls: new ControlUrls([controlUrl]),
    credential: new GatewayCredential('token'),
    lastGoodPath: path,
    begin,
    log,
  }
  const client = closeAtEnd(context, await FeedClient.start(options))
  return { client, lines, path }
}

test('a full transaction and the deltas after it are served by every name', async (context) => {
  const feed = await startFeed(context, full(3, putSite('a'), putSite('b'), putResearcher('r')))
  const { client } = await startClient(context, feed.url, await temporaryDirectory(context))
  await client.ready
  const before = client.current
  assert.equal(before.revision, 3)
  assert.equal(before.siteByHost('a.gate.localhost')?.config.id, 'a')
  assert.equal(before.researcherByKeyHash('hash of r')?.id, 'r')
  feed.say(
    ...delta(
      4,
      putSite('a', { gatedName: 'b.gate.localhost' }),
      putSite('b', { gatedName: 'a.gate.localhost', access: 'listed', researcherIds: ['r'] }),
      putResearcher('r', { keyHashes: ['other'] }),
      { type: 'put', kind: 'organization', id: 'org', value: { id: 'org', name: 'Org', open: true } },
    ),
  )
  await until(() => client.current.revision === 4, 'the delta')
  const after = client.current
  assert.equal(after.siteByHost('a.gate.localhost')?.config.id, 'b')
  assert.equal(after.siteByHost('b.gate.localhost')?.config.id, 'a')
  assert.equal(after.siteByHost('a.gate.localhost')?.lists('r'), true)
  assert.equal(after.siteByHost('a.gate.localhost')?.lists('s'), false)
  assert.equal(after.researcherByKeyHash('hash of r'), undefined)
  assert.equal(after.researcherByKeyHash('other')?.id, 'r')
  assert.equal(after.organization('org')?.name, 'Org')
  assert.equal(before.siteByHost('a.gate.localhost')?.config.id, 'a', 'an old snapshot stays as it was')
  feed.say(
    ...delta(5, { type: 'remove', kind: 'site', id: 'b' }, { type: 'remove', kind: 'researcher', id: 'r' }),
  )
  await until(() => client.current.revision === 5, 'the removal')
  assert.equal(client.current.siteByHost('a.gate.localhost'), undefined)
  assert.equal(client.current.site('b'), undefined)
  assert.equal(client.current.researcherByKeyHash('other'), undefined)
})

test('what an older control plane says of invitations is passed over, and it says no host of the gate', async (context) => {
  const put = (keyHash: string): FeedMessage => {
    const invitations = [{ hash: 'invitation', expiresAt: null }]
    const value = {
      ...sampleResearcher('r', { keyHashes: [keyHash] }),
      invitations,
    } as object as ResearcherConfig
    return { type: 'put', kind: 'researcher', id: 'r', names: [keyHash, 'invitation'], value }
  }
  const installation = feedPut('installation', 'installation', { sessionKey: 'x' })
  const feed = await startFeed(context, full(3, installation, put('one')))
  const { client } = await startClient(context, feed.url, await temporaryDirectory(context))
  await client.ready
  assert.equal(client.current.gate, undefined)
  assert.equal(client.current.researcherByKeyHash('one')?.id, 'r')
  assert.equal(client.current.researcherByKeyHash('invitation'), undefined)
  feed.say(...delta(4, put('other')))
  await until(() => client.current.revision === 4, 'the change')
  assert.equal(client.current.researcherByKeyHash('one'), undefined)
  assert.equal(client.current.researcherByKeyHash('other')?.id, 'r')
})

test('a token that is not the one of the control plane is named in the log, once', async (context) => {
  const control = createServer((_request, response) => response.writeHead(401).end())
  const { url } = await listenForTest(context, control)
  const directory = await temporaryDirectory(context)
  const { lines } = await startClient(context, url, directory)
  await until(() => lines.length > 0, 'the log')
  assert.match(lines.join(), /answered 401: .*SALLYPORT_GATEWAY_TOKEN is not the one/)
  assert.equal(lines.length, 1)
})

test('what a newer control plane says and this gateway does not know is passed over', async (context) => {
  const sessionKey = 'k'
  const feed = await startFeed(
    context,
    full(1, putSite('a'), { type: 'put', kind: 'installation', id: '', value: { sessionKey } }),
  )
  const { client, path } = await startClient(context, feed.url, await temporaryDirectory(context))
  await client.ready
  const unknown = [
    { type: 'put', kind: 'badge', id: 'b', value: { id: 'b' } },
    { type: 'remove', kind: 'badge', id: 'b' },
    { type: 'note', text: 'b' },
  ] as unknown as FeedMessage[]
  feed.say(...delta(2, ...unknown, putSite('c')))
  await until(() => client.current.revision === 2, 'the delta')
  assert.deepEqual(client.current.installation, { sessionKey })
  assert.equal(client.current.siteByHost('c.gate.localhost')?.config.id, 'c')
  await client.close()
  await feed.stop()
  const { client: later } = await startClient(context, feed.url, dirname(path))
  assert.deepEqual([later.current.revision, later.current.installation], [2, { sessionKey }])
})

test('half a transaction is not applied, and listeners hear of each whole one', async (context) => {
  const feed = await startFeed(context, full(1, putSite('a')))
  const { client } = await startClient(context, feed.url, await temporaryDirectory(context))
  const heard: number[] = []
  client.onSwap(({ revision }) => heard.push(revision))
  await client.ready
  await until(() => heard.length === 1, 'the first swap')
  feed.say({ type: 'begin', mode: 'delta', revision: 2 }, putSite('half'))
  feed.disconnect()
  await until(() => heard.length === 2, 'the connection to be made again')
  assert.equal(client.current.site('half'), undefined)
  feed.say(...delta(3, putSite('b')))
  await until(() => heard.length === 3, 'the delta')
  assert.deepEqual(heard, [1, 1, 3])
})

test('a feed that goes silent is left and connected to again', async (context) => {
  const feed = await startFeed(context, full(1))
  const { client, lines } = await startClient(context, feed.url, await temporaryDirectory(context))
  await client.ready
  feed.opening = full(2)
  await until(() => client.current.revision === 2, 'a new connection', 9_000)
  assert.equal(lines.filter((line) => line.includes('no config feed')).length, 1)
})

test('with the control plane away, the last good snapshot is served, deltas included', async (context) => {
  const directory = await temporaryDirectory(context)
  const feed = await startFeed(context, full(1, putSite('a'), putResearcher('r')))
  const first = await startClient(context, feed.url, directory)
  await first.client.ready
  feed.say(...delta(2, putSite('b'), { type: 'remove', kind: 'site', id: 'a' }))
  await until(() => first.client.current.revision === 2, 'the delta')
  await first.client.close()
  await feed.stop()
  assert.equal(statSync(first.path).mode & 0o777, 0o600)
  const second = await startClient(context, feed.url, directory)
  assert.equal(second.client.current.revision, 2)
  assert.equal(second.client.current.site('a'), undefined)
  assert.equal(second.client.current.siteByHost('b.gate.localhost')?.config.id, 'b')
  assert.equal(second.client.current.researcherByKeyHash('hash of r')?.id, 'r')
  assert.equal(second.client.connected, false)
})

test('a feed that is followed later is not asked before, and what was kept is served meanwhile', async (context) => {
  const directory = await temporaryDirectory(context)
  const feed = await startFeed(context, full(1, putSite('a')))
  const first = await startClient(context, feed.url, directory)
  await first.client.followed
  await first.client.close()
  await until(() => feed.connected === 0, 'the end of the first')
  feed.opening = full(9, putSite('c'))
  const begin = Promise.withResolvers<void>()
  const { client } = await startClient(context, feed.url, directory, begin.promise)
  assert.equal(client.current.revision, 1)
  // Longer than who asks at once needs to be told of revision 9.
  await fetch(feed.url).then(({ body }) => body?.cancel())
  feed.opening = full(2, putSite('b'))
  begin.resolve()
  await client.followed
  assert.equal(client.current.revision, 2)
  const never = await startClient(context, feed.url, directory, new Promise(() => {}))
  await never.client.close()
})

for (const damage of ['cut', 'noise', 'empty', 'flipped', 'renamed'] as const)
  test(`a damaged snapshot file (${damage}) is set aside with one line, and what was whole is served`, async (context) => {
    const directory = await temporaryDirectory(context)
    const feed = await startFeed(context, full(1, putSite('a')))
    const first = await startClient(context, feed.url, directory)
    await first.client.ready
    feed.say(...delta(2, putSite('b')))
    await until(() => first.client.current.revision === 2, 'the delta')
    await first.client.close()
    await feed.stop()
    const size = statSync(first.path).size
    if (damage === 'cut') truncateSync(first.path, size - 5)
    if (damage === 'empty') truncateSync(first.path, 0)
    if (damage === 'noise') writeFileSync(first.path, Buffer.alloc(size, 0xfe))
    const text = readFileSync(first.path, 'utf8')
    if (damage === 'flipped') writeFileSync(first.path, text.replaceAll('b.gate.', 'c.gate.'))
    if (damage === 'renamed') writeFileSync(first.path, text.replace('"gatedName":"b', '"gatedNome":"b'))
    const second = await startClient(context, feed.url, directory)
    const whole = damage === 'noise' || damage === 'empty' ? 0 : 1
    assert.equal(second.client.current.revision, whole)
    assert.equal(second.lines.filter((line) => line.includes('damaged')).length, 1)
    assert.equal(readdirSync(directory).filter((name) => name.includes('.damaged-')).length, 1)
    await feed.start()
    await until(() => second.client.current.revision === 1 && second.client.connected, 'the control plane')
    await second.client.close()
    const third = await startClient(context, 'http://127.0.0.1:1', directory)
    assert.equal(third.client.current.revision, 1, 'the file was written anew')
  })

test('a feed in members of gzip is followed as a plain one is, and its changes arrive at once', async (context) => {
  const feed = await startFeed(context, full(1, putSite('a'), putSite('b'), putResearcher('r')))
  feed.packing = (text) => packedMembers(Buffer.from(text))
  const { client, lines } = await startClient(context, feed.url, await temporaryDirectory(context))
  await client.ready
  assert.equal(client.current.siteByHost('b.gate.localhost')?.config.id, 'b')
  feed.say({ type: 'ping' })
  feed.say(...delta(2, { type: 'remove', kind: 'site', id: 'b' }))
  await until(() => client.current.revision === 2, 'the first change')
  feed.packing = (text) => storedMembers(Buffer.from(text))
  feed.opening = full(3, putSite('c'))
  feed.disconnect()
  await until(() => client.current.revision === 3, 'everything anew')
  assert.equal(client.current.site('a'), undefined)
  assert.deepEqual(
    lines.filter((line) => line.includes('gzip')),
    [],
  )
})

test('a change that comes packed is in the file whole, when the memory that it came in is others again', async (context) => {
  const directory = await temporaryDirectory(context)
  const feed = await startFeed(context, full(1, putSite('a')))
  feed.packing = (text) => packedMembers(Buffer.from(text))
  const { client, lines } = await startClient(context, feed.url, directory)
  await client.ready
  const many = Array.from({ length: 1_000 }, (_, index) => putResearcher(`r${index}`))
  feed.say(...delta(2, ...many), { type: 'ping' }, ...delta(3, putSite('b')))
  await until(() => client.current.revision === 3, 'the changes')
  await client.close()
  await feed.stop()
  assert.deepEqual(lines, [], 'nothing that could not be written')
  const { client: later } = await startClient(context, feed.url, directory)
  assert.equal(later.current.revision, 3)
  for (const id of ['r0', 'r500', 'r999']) assert.equal(later.current.researcher(id)?.id, id)
})

test('gzip of somebody between is said in the log, and the feed is asked for as it is', async (context) => {
  const feed = await startFeed(context, full(1, putSite('a')))
  feed.packing = (text) => gzipSync(text)
  const { client, lines } = await startClient(context, feed.url, await temporaryDirectory(context))
  await client.ready
  assert.equal(client.current.siteByHost('a.gate.localhost')?.config.id, 'a')
  assert.match(lines.join('\n'), /no config feed .*: gzip whose members do not say how long they are/)
})

test('a feed that somebody between has encoded otherwise is asked for as it is', async (context) => {
  const lines = full(4, putSite('a')).map((message) => `${JSON.stringify(message)}\n`)
  for (const coding of ['br', 'gzip, gzip', 'X-GZIP']) {
    const control = createServer((request, response) => {
      const isPacked = request.headers['accept-encoding'] === 'gzip'
      response.writeHead(200, isPacked ? { 'content-encoding': coding } : {})
      if (!isPacked) response.write(lines.join(''))
      else void packedMembers(Buffer.from(lines.join(''))).then((bytes) => response.write(bytes))
    })
    const { url } = await listenForTest(context, control)
    const { client, lines: logged } = await startClient(context, url, await temporaryDirectory(context))
    await until(() => client.current.revision === 4, `the feed as it is, not in ${coding}`)
    assert.equal(client.current.siteByHost('a.gate.localhost')?.config.id, 'a', coding)
    assert.equal(
      logged.some((line) => line.includes('nobody asked for')),
      coding !== 'X-GZIP',
      coding,
    )
    await client.close()
  }
})

test('a packed feed that is damaged, cut or repeated anywhere is never served in part, and comes whole afterwards', async (context) => {
  const states = [
    full(1, putSite('a'), putSite('b'), putResearcher('r')),
    delta(2, putSite('c')),
    delta(3, { type: 'remove', kind: 'site', id: 'a' }),
  ]
  const members = await Promise.all(
    states.map((messages, index) => {
      const text = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
      return index === 1 ? storedMembers(text) : packedMembers(text)
    }),
  )
  const good = Buffer.concat(members)
  const sitesAt: Record<number, string> = { 1: 'ab', 2: 'abc', 3: 'bc', 9: 'z' }
  let sent = good
  let cutAt = good.length
  const control = createServer((_request, response) => {
    // Only the first is damaged: what follows is asked for because of it.
    response.writeHead(200, { 'content-encoding': 'gzip' })
    const bytes = sent.subarray(0, cutAt)
    response.write(bytes.subarray(0, bytes.length >> 1))
    response.end(bytes.subarray(bytes.length >> 1))
  })
  const { url } = await listenForTest(context, control)
  const isWhole = (client: FeedClient): boolean => {
    const held = ['a', 'b', 'c', 'z'].filter((id) => client.current.site(id)).join('')
    return client.current.revision === 0 ? held === '' : held === sitesAt[client.current.revision]
  }
  const damage = fc.record({
    at: fc.nat(good.length - 1),
    kind: fc.constantFrom('flip', 'cut', 'drop', 'repeat'),
    byte: fc.integer({ min: 1, max: 255 }),
    length: fc.integer({ min: 1, max: 200 }),
  })
  const directory = await temporaryDirectory(context)
  let run = 0
  await fc.assert(
    fc.asyncProperty(damage, async ({ at, kind, byte, length }) => {
      const part = good.subarray(at, at + length)
      sent = Buffer.from(good)
      cutAt = kind === 'cut' ? at : Number.POSITIVE_INFINITY
      if (kind === 'flip') sent[at] = (sent[at] ?? 0) ^ byte
      if (kind === 'drop') sent = Buffer.concat([good.subarray(0, at), good.subarray(at + length)])
      if (kind === 'repeat') sent = Buffer.concat([good.subarray(0, at), part, good.subarray(at)])
      run += 1
      const lines: string[] = []
      const client = await FeedClient.start({
        controlUrls: new ControlUrls([url]),
        credential: new GatewayCredential('token'),
        lastGoodPath: join(directory, `snapshot-${run}.ndjson`),
        log: (_level, line) => lines.push(line),
      })
      const held: boolean[] = []
      client.onSwap(() => held.push(isWhole(client)))
      await until(() => lines.length > 0, 'the end of the feed')
      sent = Buffer.concat([
        await packedMembers(
          Buffer.from(
            full(9, putSite('z'))
              .map((message) => `${JSON.stringify(message)}\n`)
              .join(''),
          ),
        ),
      ])
      cutAt = Number.POSITIVE_INFINITY
      await until(() => client.current.revision === 9, 'the feed as it is', 9_000)
      await client.close()
      assert.ok(held.every((whole) => whole) && isWhole(client))
    }),
    { numRuns: 40 },
  )
})

test('10,000 sites and 100,000 researchers come through the feed and back from disk', async (context) => {
  const items: FeedMessage[] = []
  for (let index = 0; index < 10_000; index += 1) items.push(putSite(`site-${index}`))
  for (let index = 0; index < 100_000; index += 1) items.push(putResearcher(`researcher-${index}`))
  const feed = await startFeed(context, full(1, ...items))
  feed.packing = (text) => packedMembers(Buffer.from(text))
  const directory = await temporaryDirectory(context)
  const { client } = await startClient(context, feed.url, directory)
  await client.ready
  assert.equal(client.current.siteByHost('site-9999.gate.localhost')?.config.id, 'site-9999')
  assert.equal(client.current.researcherByKeyHash('hash of researcher-99999')?.id, 'researcher-99999')
  await client.close()
  const again = performance.now()
  const second = await startClient(context, 'http://127.0.0.1:1', directory)
  context.diagnostic(`from disk: ${Math.round(performance.now() - again)} ms`)
  assert.equal(second.client.current.researcher('researcher-5')?.email, 'researcher-5@example.org')
})
