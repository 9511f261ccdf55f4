/** `sallyport drain` on data directories as gateways leave them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { bareEnvironment } from '../../../../../test/support/environment.ts'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { newCredential } from '../../../../gateway/src/control-plane/credential.ts'
import { TrafficJournal } from '../../../../gateway/src/record/traffic-journal.ts'
import { DEFAULT_JOURNAL_SETTINGS } from '../../../../gateway/src/settings.ts'
import { CountingControlPlane, sampleEvent, until } from '../../../../gateway/test/record/support.ts'
import { lockDirectory } from '../../../src/directory-lock.ts'

const MAIN = join(import.meta.dirname, '../../../src/main.ts')
const TOKEN = 'a token that gateways share'
const NAME = 'gateway-gone'
const REVISION = 41
const OUTCOMES = ['events', 'batches', 'quarantinedBatches', 'left'] as const

interface Ended {
  readonly code: number
  readonly printed: Readonly<Record<(typeof OUTCOMES)[number], number>> | undefined
  readonly errors: readonly string[]
}

/** A directory that a gateway of three threads left, with so many events in the journals of the first and the third. */
async function leaveGateway(context: TestContext, first: number, third: number) {
  const dataDir = temporaryFolder(context)
  const own = join(dataDir, 'gateway')
  mkdirSync(own)
  writeFileSync(join(own, 'id'), NAME)
  writeSnapshot(own)
  const ids = [...(await fill(join(own, 'journal'), first)), ...(await fill(join(own, 'journal-2'), third))]
  const plane = new CountingControlPlane()
  const url = await plane.listen(context)
  return { dataDir, own, ids, plane, url }
}

/** A whole transaction, and one that was being written. */
function writeSnapshot(own: string): void {
  const begin = (revision: number) => `${JSON.stringify({ type: 'begin', mode: 'full', revision })}\n`
  const commit = { type: 'commit', revision: REVISION, crc32: crc32(begin(REVISION)) }
  writeFileSync(
    join(own, 'snapshot.ndjson'),
    `${begin(REVISION)}${JSON.stringify(commit)}\n${begin(REVISION + 1)}`,
  )
}

async function fill(directory: string, count: number): Promise<string[]> {
  const log = (): void => undefined
  const journal = await TrafficJournal.open({ ...DEFAULT_JOURNAL_SETTINGS, directory, log })
  const ids = Array.from({ length: count }, () => randomUUID())
  for (const id of ids) journal.record(sampleEvent(id, { gatewayId: NAME }))
  // One that was under way when the process died.
  const id = randomUUID()
  const intent = { ...sampleEvent(id, { gatewayId: NAME }), kind: 'request' as const }
  await journal.intend(intent)
  await journal.close()
  return [...ids, id]
}

function drain(
  dataDir: string,
  controlUrl: string,
  { options = [], signalWhen }: { options?: readonly string[]; signalWhen?: () => Promise<void> } = {},
): Promise<Ended> {
  const env = {
    ...bareEnvironment,
    SALLYPORT_DATA_DIR: dataDir,
    SALLYPORT_CONTROL_URL: controlUrl,
    SALLYPORT_GATEWAY_TOKEN: TOKEN,
  }
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [MAIN, 'drain', '--json', ...options],
      { env },
      (error, stdout, stderr) =>
        done({
          code: error ? Number(error.code) : 0,
          printed: stdout ? JSON.parse(stdout) : undefined,
          errors: stderr.split('\n').filter((line) => line !== ''),
        }),
    )
    void signalWhen?.().then(() => child.kill('SIGTERM'))
  })
}

const journalsOf = (own: string): string[] => readdirSync(own).filter((name) => name.startsWith('journal'))

test('what the journals of all threads hold is delivered once, and says nothing of a gateway that runs', async (context) => {
  const { dataDir, own, ids, plane, url } = await leaveGateway(context, 30, 20)
  const { code, printed, errors } = await drain(dataDir, url)
  assert.deepEqual(errors, [])
  assert.equal(code, 0)
  assert.deepEqual(printed, { events: 52, batches: 2, quarantinedBatches: 0, left: 0 })
  assert.deepEqual(new Set([...plane.events.values()].flat().map(({ id }) => id)), new Set(ids))
  assert.ok([...plane.events.values()].every((events) => events.length === 1))
  for (const header of plane.headers) {
    assert.equal(header.gatewayId, NAME)
    assert.equal(header.isDrained, true)
    assert.equal(header.revision, REVISION)
  }
  assert.deepEqual(
    plane.headers.map(({ journalNumber }) => journalNumber),
    [undefined, 2],
  )
  assert.deepEqual(new Set(plane.tokens), new Set([TOKEN]))
  assert.deepEqual(journalsOf(own), [])
  assert.deepEqual((await drain(dataDir, url)).printed, {
    events: 0,
    batches: 0,
    quarantinedBatches: 0,
    left: 0,
  })
})

test('an enrolled gateway shows its own credential, and only under its name', async (context) => {
  const { dataDir, own, plane, url } = await leaveGateway(context, 1, 1)
  const credential = newCredential()
  const keep = (gatewayId: string) =>
    writeFileSync(join(own, 'credential.json'), JSON.stringify({ gatewayId, credential }))
  keep('another')
  const refused = await drain(dataDir, url)
  assert.equal(refused.code, 78)
  assert.match(refused.errors.join('\n'), /^sallyport: this gateway is enrolled as another and named/)
  keep(NAME)
  assert.equal((await drain(dataDir, url)).code, 0)
  assert.deepEqual(new Set(plane.tokens), new Set([credential]))
})

test('a control plane that takes nothing: one line, and all of it stays for the next time', async (context) => {
  const { dataDir, ids, plane, url } = await leaveGateway(context, 5, 3)
  plane.answer = () => 503
  const failed = await drain(dataDir, url, { options: ['--timeout', '1'] })
  assert.equal(failed.code, 1)
  assert.deepEqual(failed.printed, { events: 0, batches: 0, quarantinedBatches: 0, left: ids.length })
  assert.equal(failed.errors.length, 1)
  assert.match(failed.errors[0] ?? '', /^sallyport: 10 events are still .* took nothing for 1 s \(.*503/)
  plane.answer = () => 204
  assert.equal((await drain(dataDir, url)).printed?.events, ids.length)
  assert.deepEqual(plane.changed, [])
  assert.equal(plane.count, ids.length)
})

test('one that is away among several is passed over', async (context) => {
  const { dataDir, ids, plane, url } = await leaveGateway(context, 5, 3)
  assert.equal((await drain(dataDir, `http://127.0.0.1:9,${url}`)).code, 0)
  assert.equal(plane.count, ids.length)
})

test('an answer that is lost when it is interrupted costs nothing and counts once', async (context) => {
  const { dataDir, ids, plane, url } = await leaveGateway(context, 5, 3)
  plane.answer = () => 'break'
  const interrupted = await drain(dataDir, url, {
    signalWhen: () => until(() => plane.headers.length > 1, 'a batch that came again'),
  })
  assert.equal(interrupted.code, 1)
  assert.match(interrupted.errors.join('\n'), /^sallyport: \d+ events are still .* it was interrupted/)
  plane.answer = () => 204
  assert.equal((await drain(dataDir, url)).code, 0)
  assert.deepEqual(plane.changed, [])
  assert.equal(plane.count, ids.length)
  assert.ok([...plane.events.values()].every((events) => events.length === 1))
})

test('a journal that cannot be read stays as it is, and does not hold up the others', async (context) => {
  const { dataDir, own, plane, url } = await leaveGateway(context, 5, 3)
  const earlier = join(own, 'journal-1')
  mkdirSync(earlier)
  writeFileSync(join(earlier, '0000000001.journal'), '\nS1 of a format of before')
  const { code, printed, errors } = await drain(dataDir, url)
  assert.equal(code, 1)
  assert.deepEqual([printed?.events, printed?.left], [10, 0])
  assert.match(errors.join('\n'), /^sallyport: the journal in .*journal-1 is of another format/)
  assert.deepEqual(journalsOf(own), ['journal-1'])
  assert.equal(plane.count, 10)
})

test('a directory in which a gateway runs, one that is none, and times that are none', async (context) => {
  const { dataDir, own, plane, url } = await leaveGateway(context, 1, 1)
  const lock = await lockDirectory(own)
  const inUse = await drain(dataDir, url)
  assert.equal(inUse.code, 75)
  assert.match(inUse.errors.join('\n'), /^sallyport: the data directory .* is in use/)
  lock.release()
  const missing = await drain(join(dataDir, 'missing'), url)
  assert.equal(missing.code, 78)
  assert.match(missing.errors.join('\n'), /^sallyport: there is no .*missing/)
  assert.ok(!existsSync(join(dataDir, 'missing')))
  rmSync(join(own, 'id'))
  const unnamed = await drain(dataDir, url)
  assert.equal(unnamed.code, 78)
  assert.match(unnamed.errors.join('\n'), /SALLYPORT_GATEWAY_ID/)
  for (const timeout of ['0', '-1', '1.5', '90000', 'x'])
    assert.equal((await drain(dataDir, url, { options: [`--timeout=${timeout}`] })).code, 1)
  assert.equal(plane.headers.length, 0)
})
