import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { TABLE_FIELDS } from '@sallyport/contract'
import type { ExportFormat } from '../../../src/features/analytics/export/export.ts'
import { recordedRequestOf } from '../../../src/features/analytics/recorded-request.ts'
import { TAIL_EVENTS_MAX } from '../../../src/live-tail/waiting-events.ts'
import { openAnalytics } from '../../support/analytics.ts'
import { event, hit } from '../../support/traffic.ts'

const NOW = Date.now()
const { service, tail, record } = await openAnalytics({ now: NOW })

async function exported(orgId: string, format: ExportFormat, query: object = {}): Promise<string> {
  const { stream } = await service.export(orgId, { gte: 'now-30d', format, ...query })
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

test('an export holds every event once, oldest first, over pages and stretches of any density', async () => {
  const orgId = 'org-many'
  // Thirty-two thousand in one second, seven pages of which divide no stretch evenly, and a thousand over four weeks.
  const dense = Array.from({ length: 32_000 }, (_, index) =>
    event({ orgId, time: NOW - 7_200_000 - (index % 900) }),
  )
  const sparse = Array.from({ length: 1_000 }, (_, index) => event({ orgId, time: NOW - index * 2_400_000 }))
  for (let start = 0; start < dense.length; start += 4_000) await record(dense.slice(start, start + 4_000))
  await record(sparse)
  const lines = (await exported(orgId, 'ndjson')).trimEnd().split('\n')
  const events = lines.map((line) => JSON.parse(line) as { id: string; time: string })
  assert.equal(new Set(events.map(({ id }) => id)).size, 33_000)
  assert.equal(events.length, 33_000)
  assert.ok(events.every(({ time }, index) => index === 0 || time >= (events[index - 1]?.time ?? '')))
  // From the first hour on, and not only once the stretches have grown to days.
  assert.equal((await exported(orgId, 'ndjson', { gte: 'now-3h' })).trimEnd().split('\n').length, 32_005)
  assert.equal((await exported(orgId, 'ndjson', { gte: 'now-1h' })).trimEnd().split('\n').length, 2)
})

test('an export waits for its reader', async () => {
  const { stream } = await service.export('org-many', { gte: 'now-30d', format: 'ndjson' })
  const first = await new Promise<Buffer>((got) =>
    stream.once('data', (chunk: Buffer) => {
      stream.pause()
      got(chunk)
    }),
  )
  assert.ok(first.length > 0)
  await new Promise((done) => setTimeout(done, 300))
  assert.ok(stream.readableLength < 2_000_000, `${stream.readableLength} bytes wait`)
  stream.destroy()
})

test('hostile content comes out as data in every format', async () => {
  const orgId = 'org-hostile'
  const hostile = event({
    orgId,
    time: NOW - 1_000,
    target: '/?a=<script>alert(1)</script>\u001b[31m,"quoted"\r\n',
    path: "=cmd|' /C calc'!A0",
    userAgent: '+SUM(1,2)',
    tool: '@evil',
    queryNames: ['=x'],
    hits: [hit({ excerpt: '-1+1' })],
  })
  await record([hostile])
  const recorded = JSON.parse(await exported(orgId, 'ndjson')) as unknown
  assert.deepEqual(recorded, recordedRequestOf(hostile))

  const csv = await exported(orgId, 'csv')
  const [head, ...rest] = csv.split('\r\n')
  assert.equal(head, TABLE_FIELDS.join(','))
  assert.ok(rest.join('\r\n').includes("'=cmd|' /C calc'!A0"))
  assert.ok(csv.includes('"\'+SUM(1,2)"') && csv.includes(",'@evil,"))
  assert.ok(csv.includes('""quoted""'))

  const ocsf = JSON.parse(await exported(orgId, 'ocsf')) as {
    class_uid: number
    type_uid: number
    severity_id: number
    disposition_id: number
    time: number
  }
  assert.equal(ocsf.class_uid, 4002)
  assert.equal(ocsf.type_uid, 400203)
  assert.equal(ocsf.severity_id, 4)
  assert.equal(ocsf.disposition_id, 15)
  assert.equal(ocsf.time, hostile.time)
})

test('what some spreadsheets take for a separator begins no cell of a CSV', async () => {
  const orgId = 'org-separators'
  const tried = { userAgent: 'Mozilla/5.0 (X11;=WEBSERVICE(A1))', tool: 'a\t=1+1', path: '/;+1' }
  await record([event({ orgId, time: NOW - 1_000, ...tried })])
  const csv = await exported(orgId, 'csv')
  for (const value of Object.values(tried)) assert.ok(csv.includes(`,"${value}",`), csv)
})

test('a CSV names every field of an event', () => {
  assert.deepEqual([...TABLE_FIELDS].sort(), Object.keys(event()).sort())
})

test('the live tail shows what was stored, to its organization and filter only', async () => {
  const orgId = 'org-tail'
  const stream = service.tail(orgId, { outcome: ['block'] })
  const other = service.tail('org-tail-other', {})
  const wanted = event({ orgId, outcome: 'block' })
  await record([event({ orgId }), wanted])
  const text = await readUntil(stream, 'event: request')
  assert.match(text, /^retry: 2000\n\n/)
  assert.ok(text.includes(`id: ${wanted.id}\nevent: request\ndata: `))
  assert.equal(text.match(/event: request/g)?.length, 1)
  await setImmediate()
  assert.equal(String(other.read()), 'retry: 2000\n\n')
  stream.destroy()
  other.destroy()
})

test('a slow follower is bounded, and told what it missed', async () => {
  const orgId = 'org-slow'
  const stream = service.tail(orgId, {})
  const count = TAIL_EVENTS_MAX + 2_000
  const many = Array.from({ length: count }, () => event({ orgId }))
  tail.publish(many)
  await setImmediate()
  assert.ok(stream.readableLength < 200_000, `${stream.readableLength} bytes wait`)
  const text = await readUntil(stream, 'event: missed')
  const got = text.match(/event: request/g)?.length ?? 0
  const missed = Number(/"missed":(\d+)/.exec(text)?.[1])
  assert.ok(got <= TAIL_EVENTS_MAX + 400, String(got))
  assert.equal(got + missed, count)
  tail.publish([event({ orgId, tool: 'after-the-gap' })])
  assert.match(await readUntil(stream, 'after-the-gap'), /after-the-gap/)
  stream.destroy()
})

async function readUntil(
  stream: AsyncIterable<unknown> & NodeJS.ReadableStream,
  wanted: string,
): Promise<string> {
  const chunks: string[] = []
  let isThere = false
  return new Promise((found) => {
    const take = (chunk: Buffer): void => {
      // What is looked for may lie across two chunks; looking through all of them each time would take minutes.
      const before = chunks.at(-1)?.slice(-wanted.length) ?? ''
      chunks.push(String(chunk))
      isThere ||= `${before}${chunks.at(-1)}`.includes(wanted)
      if (!isThere || !chunks.at(-1)?.endsWith('\n\n')) return
      stream.pause()
      stream.removeListener('data', take)
      found(chunks.join(''))
    }
    stream.on('data', take)
    stream.resume()
  })
}
