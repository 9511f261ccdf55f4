import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { TrafficEvent } from '@sallyport/contract'
import { createOriginPools, startDataPlane } from '../../src/data-plane.ts'
import { type RunningRecorder, startRecorder } from '../../src/record/start-recorder.ts'
import { DEFAULT_JOURNAL_SETTINGS, type JournalSettings } from '../../src/settings.ts'
import { LocalCounters } from '../../src/stages/limit/local-counters.ts'
import { createAssertionSigner } from '../../src/upstream/forward/assertion.ts'
import {
  HOST,
  request,
  researcher,
  sendRaw,
  site,
  TestSnapshots,
  testSettings,
} from '../support/test-data-plane.ts'
import { CountingControlPlane, closeAtEnd, temporaryDirectory, until } from './support.ts'

const SESSION_KEY = Buffer.alloc(32, 7).toString('base64url')

interface Gate {
  readonly port: number
  readonly recorder: RunningRecorder
}

/** The data plane with a journal behind it, and an origin that answers everything. */
async function openGate(context: TestContext, controlUrl: string, journal: JournalSettings): Promise<Gate> {
  const origin = createServer((_request, response) => response.end('from the origin'))
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve))
  const snapshots = new TestSnapshots()
  const config = site((origin.address() as AddressInfo).port)
  snapshots.apply(
    { type: 'put', kind: 'installation', id: 'installation', value: { sessionKey: SESSION_KEY } },
    { type: 'put', kind: 'organization', id: 'org', value: { id: 'org', name: 'Org', open: true } },
    { type: 'put', kind: 'site', id: config.id, value: config },
    { type: 'put', kind: 'researcher', id: 'researcher-1', value: researcher() },
  )
  const settings = testSettings()
  const recorder = await startRecorder({
    directory: await temporaryDirectory(context),
    controlUrl,
    gatewayToken: 'token',
    journal,
    report: () => ({ gatewayId: 'gateway-1', revision: 1, assertionKeys: { keys: [] }, health: [] }),
    log: () => undefined,
  })
  closeAtEnd(context, recorder)
  const dataPlane = await startDataPlane({
    settings,
    snapshots,
    recorder,
    origins: await createOriginPools(settings),
    assertions: await createAssertionSigner(),
    counters: new LocalCounters(),
    whyNotReady: () => null,
    revealCredentials: async () => null,
    acceptInvitation: async () => 'away',
    log: () => undefined,
    onUnexpected: (error) => {
      throw error
    },
  })
  context.after(async () => {
    await dataPlane.close()
    origin.close()
  })
  return { port: dataPlane.http.port, recorder }
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

const sumOf = (plane: CountingControlPlane, takes: (event: TrafficEvent) => boolean): number =>
  [...plane.events.values()]
    .flat()
    .filter(takes)
    .reduce((sum, event) => sum + event.requestCount, 0)

test('a flood of strangers cannot fill the journal that researchers need, and is counted exactly', async (context) => {
  const plane = new CountingControlPlane()
  const url = await plane.listen(context)
  plane.answer = () => 503
  const journal = { ...DEFAULT_JOURNAL_SETTINGS, segmentBytesMax: 64 * 1024, totalBytesMax: 512 * 1024 }
  const { port, recorder } = await openGate(context, url, journal)
  await flood(port, 800)
  for (let index = 0; index < 20; index += 1)
    assert.equal((await sendRaw(port, request(`GET /mine/${index}`, 'Connection: close'))).status, 200)
  assert.ok(recorder.progress().bytes < journal.totalBytesMax / 4, 'strangers stay within their share')
  plane.answer = () => 204
  await until(
    () => sumOf(plane, (event) => event.researcherId === '') >= 800,
    'the flood in the record',
    20_000,
  )
  await until(() => sumOf(plane, (event) => event.researcherId !== '') >= 20, 'the researcher in the record')
  assert.equal(
    sumOf(plane, ({ researcherId }) => researcherId === ''),
    800,
  )
  assert.equal(
    sumOf(plane, ({ researcherId }) => researcherId !== ''),
    20,
  )
  // Each kind is told apart, under the organization and site that it was about.
  assert.equal(
    sumOf(plane, ({ reason }) => reason === 'unknown_credential'),
    200,
  )
  assert.equal(
    sumOf(plane, ({ reason, orgId }) => reason === 'unknown_host' && orgId === ''),
    200,
  )
  assert.equal(
    sumOf(plane, ({ reason }) => reason === 'malformed_request'),
    400,
  )
  assert.ok(
    [...plane.events.values()].every(({ length }) => length === 1),
    'each event came once',
  )
})
