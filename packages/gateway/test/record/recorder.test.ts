import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BATCH_FORMAT, type BatchHeader, type TrafficEvent } from '@sallyport/contract'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { BatchClient } from '../../src/control-plane/batch-client.ts'
import { ControlUrls } from '../../src/control-plane/control-urls.ts'
import { GatewayCredential } from '../../src/control-plane/credential.ts'
import { DEFAULT_JOURNAL_SETTINGS } from '../../src/settings.ts'
import { closeAtEnd, type RecordUnderTest, sampleEvent, setUpRecord, until } from './support.ts'

test('an event arrives as it was recorded, soon, and its segment is let go', async (context) => {
  const { plane, start } = await setUpRecord(context)
  const { recorder } = await start()
  const forwarded = sampleEvent(randomUUID(), {
    hits: [
      {
        rule: 'r',
        class: 'c',
        severity: 'low',
        part: 'query',
        parameter: 'q',
        excerpt: '\n"',
        excluded: false,
        scorePercent: 50,
        reason: 'a rule',
      },
    ],
    inspection: 'full',
  })
  const refused = sampleEvent(randomUUID(), { outcome: 'block', status: 403 })
  await recorder.intend(forwarded)
  recorder.record(forwarded)
  recorder.record(refused)
  await until(() => plane.count === 2, 'two events')
  assert.deepEqual(plane.events.get(`${forwarded.id} request`), [forwarded])
  assert.deepEqual(plane.events.get(`${refused.id} request`), [refused])
  await until(() => recorder.progress().pending === 0, 'the acknowledgement')
  await recorder.close()
})

test('what an earlier process left unfinished is recorded as interrupted, once', async (context) => {
  const { plane, openJournal, start } = await setUpRecord(context)
  const ids = Array.from({ length: 50 }, () => randomUUID())
  const { journal } = await openJournal()
  await Promise.all(ids.map((id) => journal.intend(sampleEvent(id))))
  for (const id of ids.slice(0, 20)) journal.record(sampleEvent(id))
  await journal.close()
  for (let round = 0; round < 3; round += 1) {
    const { recorder } = await start()
    await until(() => plane.count === 50, 'fifty events')
    await recorder.close()
  }
  const outcomes = [...plane.events.values()].map((events) => {
    assert.equal(events.length, 1)
    return events[0]?.outcome
  })
  assert.equal(outcomes.filter((outcome) => outcome === 'interrupted').length, 30)
  const interrupted = plane.events.get(`${ids[49]} request`)?.[0]
  assert.equal(interrupted?.target, sampleEvent('').target)
  assert.equal(interrupted?.status, 0)
})

test('a WebSocket has two events, and the second is interrupted when the gateway dies', async (context) => {
  const { plane, openJournal, start } = await setUpRecord(context)
  const id = randomUUID()
  const { journal } = await openJournal()
  await journal.intend(sampleEvent(id))
  const opened = sampleEvent(id, { kind: 'websocket_open', status: 101 })
  journal.record(opened)
  await journal.intend(sampleEvent(id, { kind: 'websocket_close' }))
  await journal.close()
  const { recorder } = await start()
  await until(() => plane.count === 2, 'two events')
  assert.deepEqual(plane.events.get(`${id} websocket_open`), [opened])
  assert.equal(plane.events.get(`${id} websocket_close`)?.[0]?.outcome, 'interrupted')
  await recorder.close()
})

test('the record of a WebSocket that has closed says when that was', async (context) => {
  const { plane, start } = await setUpRecord(context)
  const { recorder } = await start()
  const opened = sampleEvent(randomUUID(), { kind: 'websocket_close' })
  await recorder.intend(opened)
  const closed = { ...opened, time: opened.time + 3_600_000, messagesIn: 3 }
  recorder.record(closed)
  await until(() => plane.count === 1, 'the event')
  assert.deepEqual(plane.events.get(`${opened.id} websocket_close`), [closed])
  await recorder.close()
})

test('the record names a tool that only the body of a request has betrayed', async (context) => {
  const { plane, start } = await setUpRecord(context)
  const { recorder } = await start()
  const intended = sampleEvent(randomUUID(), { tool: '', inspection: 'partial' })
  await recorder.intend(intended)
  const ended: TrafficEvent = { ...intended, tool: 'burp', inspection: 'full' }
  recorder.record(ended)
  await until(() => plane.count === 1, 'the event')
  assert.deepEqual(plane.events.get(`${ended.id} request`), [ended])
  await recorder.close()
})

test('a batch is repeated unchanged until it is taken, also by the next process', async (context) => {
  const { plane, start } = await setUpRecord(context)
  plane.answer = (_header, attempt) => (attempt < 3 ? 503 : 'break')
  const first = await start()
  for (let index = 0; index < 100; index += 1) first.recorder.record(sampleEvent(randomUUID()))
  await until(() => plane.count === 100, 'a hundred events')
  const closing = first.recorder.close()
  plane.answer = () => 503
  await closing
  plane.answer = () => 204
  const second = await start()
  await until(() => second.recorder.progress().pending === 0, 'the acknowledgement')
  await second.recorder.close()
  assert.equal(plane.bodies.size, 1)
  assert.deepEqual(plane.changed, [])
  assert.equal(first.lines.length, 1, 'one line says that the control plane is away')
})

test('a batch that can never be taken is left behind, and the next one goes', async (context) => {
  const { plane, start } = await setUpRecord(context)
  plane.answer = (_header, attempt) => (attempt === 1 ? 400 : 204)
  const { recorder, lines } = await start()
  recorder.record(sampleEvent('poisoned'))
  await until(() => lines.some((line) => line.includes('set batch')), 'the refusal')
  recorder.record(sampleEvent('next'))
  await until(() => plane.count === 1, 'the next event')
  assert.ok(plane.events.has('next request'))
  await until(() => recorder.progress().pending === 0, 'the acknowledgement')
  assert.deepEqual(Object.fromEntries(recorder.uploads), { refused: 1, accepted: 1 })
  await recorder.close()
})

test("a batch outlives a 400 that is not the collector's, and the log says so once", async (context) => {
  const { plane, start } = await setUpRecord(context)
  plane.answer = (_header, attempt) => (attempt <= 3 ? 400 : 204)
  plane.refusal = () => '<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>'
  const { recorder, lines } = await start()
  recorder.record(sampleEvent('kept'))
  await until(() => plane.count === 1, 'the event')
  await until(() => recorder.progress().pending === 0, 'the acknowledgement')
  assert.equal(lines.filter((line) => line.includes('does not take traffic')).length, 1)
  assert.equal(recorder.uploads.get('accepted'), 1)
  assert.ok((recorder.uploads.get('again') ?? 0) >= 1)
  assert.ok(!lines.some((line) => line.includes('set batch')))
})

test('only a 400 that names the batch, or none, refuses it', async (context) => {
  const { plane, url } = await setUpRecord(context)
  const client = closeAtEnd(
    context,
    new BatchClient({ controlUrls: new ControlUrls([url]), credential: new GatewayCredential('token') }),
  )
  plane.answer = () => 400
  const header: BatchHeader = {
    format: BATCH_FORMAT,
    gatewayId: 'gateway-1',
    batchId: 'mine',
    revision: 1,
    events: 0,
    assertionKeys: { keys: [] },
    health: [],
    journal: { pending: 0, pendingBytes: 0, damagedBytes: 0 },
  }
  const answers = {
    '{"batchId":"mine","reason":"too large"}': 'refused',
    '{"batchId":"","reason":"no header"}': 'refused',
    '{"batchId":"another","reason":"no"}': 'again',
    '{"batchId":"mine","reason":7}': 'again',
    '{"statusCode":400,"error":"Bad Request","message":"no"}': 'again',
    null: 'again',
    '': 'again',
  }
  for (const [body, kind] of Object.entries(answers)) {
    plane.refusal = () => body
    assert.equal((await client.send(header, Buffer.alloc(0))).kind, kind, body)
  }
})

test('a batch outlives a 200, which something before the control plane says', async (context) => {
  const { plane, start } = await setUpRecord(context)
  plane.answer = (_header, attempt) => (attempt <= 2 ? 200 : 204)
  const { recorder } = await start()
  recorder.record(sampleEvent('kept'))
  await until(() => recorder.progress().pending === 0, 'the acknowledgement')
  assert.equal(plane.count, 1)
  await recorder.close()
})

test('an answer without an end is broken off, and the batch goes again', async (context) => {
  const { start } = await setUpRecord(context)
  let sentBytes = 0
  let isHostile = true
  const piece = Buffer.alloc(64 * 1024)
  const server = createServer((message, response) => {
    message.resume()
    if (!isHostile) return void message.on('end', () => response.writeHead(204).end())
    response.writeHead(502).on('close', () => {
      isHostile = false
    })
    const send = (): void => {
      sentBytes += piece.length
      if (!response.destroyed) response.write(piece, send)
    }
    send()
  })
  const { url } = await listenForTest(context, server)
  const { recorder } = await start({ controlUrls: new ControlUrls([url]) })
  recorder.record(sampleEvent('kept'))
  await until(() => recorder.progress().pending === 0, 'the acknowledgement')
  assert.ok(sentBytes < 64 * 1024 * 1024, `${sentBytes} bytes were taken`)
  await recorder.close()
})

test('a control plane that does not answer finds one report waiting, and then the batches go', async (context) => {
  const { start } = await setUpRecord(context)
  let reports = 0
  const held: (() => void)[] = []
  const server = createServer((message, response) => {
    message.resume()
    message.on('end', () => {
      reports += 1
      held.push(() => response.writeHead(204).end())
    })
  })
  const { url } = await listenForTest(context, server)
  const { recorder } = await start({ controlUrls: new ControlUrls([url]) })
  await until(() => reports === 1, 'the first report')
  for (let asked = 0; asked < 20; asked += 1) recorder.reportNow()
  await sleep(1_200)
  assert.equal(reports, 1, 'no report while one is under way')
  held.shift()?.()
  await until(() => reports === 2, 'the report that was asked for meanwhile')
  await sleep(100)
  assert.equal(reports, 2)
})

test('segments go when their events are acknowledged, although a request still runs in the oldest', async (context) => {
  const { plane, segmentFiles, start } = await setUpRecord(context)
  const journal = { ...DEFAULT_JOURNAL_SETTINGS, segmentBytesMax: 4_096 }
  const { recorder } = await start({ journal })
  const long = sampleEvent('long')
  await recorder.intend(long)
  for (let index = 0; index < 60; index += 1) {
    const event = sampleEvent(`short ${index}`)
    await recorder.intend(event)
    recorder.record(event)
    if (index % 20 === 19) await until(() => plane.count === index + 1, `event ${index}`)
  }
  await until(() => segmentFiles().length <= 3, 'old segments to go')
  recorder.record(long)
  await until(() => plane.count === 61, 'the long request')
  assert.deepEqual(plane.events.get('long request'), [long])
  assert.equal(recorder.progress().openIntents, 0)
  await recorder.close()
})

test('what is not acknowledged is counted again at the start, to the event', async (context) => {
  const { openJournal } = await setUpRecord(context)
  const { journal } = await openJournal({ segmentBytesMax: 3_000 })
  const recordMany = async (count: number) => {
    for (let index = 0; index < count; index += 1) journal.record(sampleEvent(randomUUID()))
    await journal.files.sync()
  }
  const begin = journal.files.end
  await recordMany(3)
  await recordMany(20)
  await recordMany(3)
  const to = journal.files.end
  assert.ok(to.segment > 1 && to.offset > 0)
  // Some of these lie in the segment of the mark, the others in segments after it.
  await recordMany(2)
  assert.equal(journal.files.end.segment, to.segment)
  for (let round = 0; round < 6; round += 1) await recordMany(5)
  assert.ok(journal.files.end.segment > to.segment + 1)
  await journal.files.seal({ id: 'b', from: begin, to, events: 26 })
  await journal.files.acknowledge(to, { id: 'b', refused: false, tallies: new Map(), closedIntents: [] })
  await journal.close()
  const { journal: next } = await openJournal()
  assert.equal(next.progress().pending, 32)
  assert.deepEqual(next.files.recovered.acknowledged, to)
})

test('a full journal admits nothing and loses nothing, and admits again when it was sent', async (context) => {
  const { plane, start } = await setUpRecord(context)
  plane.answer = () => 503
  const journal = { ...DEFAULT_JOURNAL_SETTINGS, segmentBytesMax: 4_096, totalBytesMax: 20_000 }
  const { recorder } = await start({ journal })
  let admitted = 0
  while (recorder.admitting) {
    const event = sampleEvent(`event ${admitted}`)
    await recorder.intend(event)
    recorder.record(event)
    admitted += 1
    assert.ok(admitted < 1_000)
  }
  await assert.rejects(recorder.intend(sampleEvent('too many')))
  recorder.record(sampleEvent('refusal', { outcome: 'gate', reason: 'journal_full' }))
  assert.equal(recorder.progress().dropped, 1)
  plane.answer = () => 204
  await until(() => plane.count === admitted && recorder.admitting, 'the journal to empty')
  await recorder.intend(sampleEvent('again'))
  recorder.record(sampleEvent('again'))
  await until(() => plane.count === admitted + 1, 'the next event')
  await recorder.close()
})

test('a journal that may drop its oldest goes on admitting, stays bounded and says what it lost', async (context) => {
  const { plane, segmentFiles, start } = await setUpRecord(context)
  plane.answer = () => 503
  const journal = { segmentBytesMax: 4_096, totalBytesMax: 20_000, whenFull: 'drop-oldest' as const }
  const { recorder, lines } = await start({ journal })
  for (let index = 0; index < 200; index += 1) {
    const event = sampleEvent(`event ${index}`)
    await recorder.intend(event)
    recorder.record(event)
  }
  const bytes = () =>
    segmentFiles().reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
  await until(() => bytes() <= 24_000, 'the oldest segments to go')
  plane.answer = () => 204
  await until(() => recorder.progress().pending === 0, 'the rest to be sent')
  assert.ok(plane.events.has('event 199 request'))
  assert.ok(lines.some((line) => line.includes('oldest')))
  await recorder.close()
})

/** Writes ten events and stops; answers the segment that they are in. */
async function writeTen({ openJournal, segmentFiles }: RecordUnderTest): Promise<string> {
  const { journal } = await openJournal()
  for (let index = 0; index < 10; index += 1) journal.record(sampleEvent(`event ${index}`))
  await journal.close()
  return segmentFiles()[0] ?? ''
}

for (const damage of ['cut', 'noise', 'zeros'] as const)
  test(`a segment with its end damaged (${damage}) is read up to there, and the rest set aside`, async (context) => {
    const record = await setUpRecord(context)
    const { directory, plane, start } = record
    const path = await writeTen(record)
    const size = statSync(path).size
    if (damage === 'cut') truncateSync(path, size - 10)
    else {
      const bytes = readFileSync(path)
      bytes.fill(damage === 'noise' ? 0xa5 : 0, size - 100)
      writeFileSync(path, bytes)
    }
    const first = await start()
    await until(() => plane.count === 9, 'nine events')
    await first.recorder.close()
    assert.equal(first.lines.length, 1)
    assert.match(first.lines[0] ?? '', /set aside in .*damaged.*most likely/)
    assert.equal(first.recorder.progress().damagedBytes > 0, true)
    assert.equal(readdirSync(join(directory, 'damaged')).length, 2)
  })

test('what follows a damaged stretch in the middle of a segment is found again', async (context) => {
  const record = await setUpRecord(context)
  const { plane, start } = record
  const path = await writeTen(record)
  const bytes = readFileSync(path)
  const middle = bytes.indexOf('event 4')
  bytes.fill(0xff, middle, middle + 20)
  writeFileSync(path, bytes)
  const { recorder, lines } = await start()
  await until(() => plane.count === 9, 'nine events')
  assert.ok(!plane.events.has('event 4 request'))
  assert.equal(lines.length, 1)
  await recorder.close()
})

test('a directory full of noise is set aside, and recording goes on', async (context) => {
  const { directory, plane, start } = await setUpRecord(context)
  writeFileSync(join(directory, '0000000001.journal'), Buffer.alloc(100_000, 'noise \nSJ'))
  const { recorder, lines } = await start()
  recorder.record(sampleEvent('after'))
  await until(() => plane.count === 1, 'the event')
  assert.equal(lines.length, 1)
  await recorder.close()
})

test('a report goes at least every second, and at once when asked', async (context) => {
  const { plane, start } = await setUpRecord(context)
  const { recorder } = await start()
  await until(() => plane.headers.length === 1, 'the first report')
  recorder.reportNow()
  await until(() => plane.headers.length === 2, 'the report asked for', 500)
  await until(() => plane.headers.length === 3, 'the next report', 1_500)
  assert.equal(plane.headers[0]?.revision, 7)
  assert.equal(plane.headers[0]?.batchId, '')
  await recorder.close()
})
