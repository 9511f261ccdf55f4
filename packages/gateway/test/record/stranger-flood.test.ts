import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { listenForTest } from '../../../../test/support/loopback.ts'
import type { RunningRecorder } from '../../src/record/start-recorder.ts'
import { DEFAULT_JOURNAL_SETTINGS, type JournalSettings } from '../../src/settings.ts'
import {
  HOST,
  request,
  sendRaw,
  site,
  startDataPlaneOf,
  TestSnapshots,
  testSettings,
} from '../support/test-data-plane.ts'
import { type CountingControlPlane, setUpRecord, until } from './support.ts'

interface Gate {
  readonly port: number
  readonly recorder: RunningRecorder
  readonly plane: CountingControlPlane
}

/** The data plane with a journal behind it, and an origin that answers everything. */
async function openGate(context: TestContext, journal: JournalSettings): Promise<Gate> {
  const origin = createServer((_request, response) => response.end('from the origin'))
  const { port } = await listenForTest(context, origin)
  const snapshots = new TestSnapshots()
  snapshots.begin(site(port))
  const { plane, start } = await setUpRecord(context)
  const { recorder } = await start({ journal })
  const dataPlane = await startDataPlaneOf(testSettings(), snapshots, recorder)
  context.after(() => dataPlane.close())
  return { port: dataPlane.http.port, recorder, plane }
}

const LONG = `/${'x'.repeat(8_000)}`
/** Bytes of strangers, each of which the gate refuses. */
const FLOOD: readonly string[] = [
  `GET ${LONG} HTTP/1.1\r\nHost: ${HOST}\r\nSallyport-Key: rk_live_wrong\r\nConnection: close\r\n\r\n`,
  `GET ${LONG} HTTP/1.1\r\nHost: nobodys.example\r\nConnection: close\r\n\r\n`,
  `GET ${LONG} HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
  `\x00\x01${'y'.repeat(2_000)}\r\n\r\n`,
]

const flood = async (port: number, count: number): Promise<void> => {
  for (let sent = 0; sent < count; sent += 40)
    await Promise.all(
      Array.from({ length: Math.min(40, count - sent) }, (_, index) =>
        sendRaw(port, FLOOD[(sent + index) % FLOOD.length] ?? ''),
      ),
    )
}

test('a flood of strangers cannot fill the journal that researchers need, and is counted exactly', async (context) => {
  const journal = { ...DEFAULT_JOURNAL_SETTINGS, segmentBytesMax: 64 * 1024, totalBytesMax: 512 * 1024 }
  const { port, recorder, plane } = await openGate(context, journal)
  plane.answer = () => 503
  await flood(port, 800)
  for (let index = 0; index < 20; index += 1)
    assert.equal((await sendRaw(port, request(`GET /mine/${index}`, 'Connection: close'))).status, 200)
  assert.ok(recorder.progress().bytes < journal.totalBytesMax / 4, 'strangers stay within their share')
  plane.answer = () => 204
  await until(
    () => plane.requestsOf((event) => event.researcherId === '') >= 800,
    'the flood in the record',
    20_000,
  )
  await until(
    () => plane.requestsOf((event) => event.researcherId !== '') >= 20,
    'the researcher in the record',
  )
  assert.equal(
    plane.requestsOf(({ researcherId }) => researcherId === ''),
    800,
  )
  assert.equal(
    plane.requestsOf(({ researcherId }) => researcherId !== ''),
    20,
  )
  // Each kind is told apart, under the organization and site that it was about.
  assert.equal(
    plane.requestsOf(({ reason }) => reason === 'unknown_credential'),
    200,
  )
  assert.equal(
    plane.requestsOf(({ reason, orgId }) => reason === 'unknown_host' && orgId === ''),
    200,
  )
  assert.equal(
    plane.requestsOf(({ reason }) => reason === 'malformed_request'),
    400,
  )
  assert.ok(
    [...plane.events.values()].every(({ length }) => length === 1),
    'each event came once',
  )
})
