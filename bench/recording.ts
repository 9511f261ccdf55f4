/**
 * What recording costs: processor time (user and system, all threads) for each request that is intended, recorded and
 * uploaded, against the same loop without a recorder. The control plane that takes the batches is another process.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { TrafficEvent } from '@sallyport/contract'
import { ControlUrls } from '../packages/gateway/src/control-plane/control-urls.ts'
import { GatewayCredential } from '../packages/gateway/src/control-plane/credential.ts'
import { type RunningRecorder, startRecorder } from '../packages/gateway/src/record/start-recorder.ts'
import { DEFAULT_JOURNAL_SETTINGS } from '../packages/gateway/src/settings.ts'
import { sampleEvent } from '../packages/gateway/test/record/support.ts'

const REQUESTS = 200_000
const BAR_US = 5
/** Requests that arrive in one turn of the event loop: few on an idle gateway, many on a busy one. */
const PER_TURN = [1, 4, 16, 32]

const event = (index: number): TrafficEvent =>
  sampleEvent(`01999999-9999-7999-8999-${String(index).padStart(12, '0')}`, {
    time: 1_790_000_000_000 + index,
    tls: 'TLSv1.3',
    scheme: 'https',
    target: '/api/orders/123?expand=items&page=2',
    path: '/api/orders/123',
    route: '/api/orders/{id}',
    queryNames: ['expand', 'page'],
    responseBytes: 1_234,
    durationUs: 1_500,
    firstByteUs: 1_000,
    userAgent:
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36',
    tool: '',
    inspection: 'full',
  })

/** A control plane that takes everything and keeps nothing, in a process of its own. */
const SINK = `
  require('node:http').createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end())
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

/** Processor time of this process for each request. */
async function measure(recorder: RunningRecorder | undefined, perTurn: number): Promise<number> {
  const before = process.cpuUsage()
  for (let done = 0; done < REQUESTS; done += perTurn) {
    const events = Array.from({ length: perTurn }, (_, index) => event(done + index))
    const intended = events.map((each) => recorder?.intend(each))
    if (recorder) await Promise.all(intended)
    else await nextTurn()
    for (const each of events) recorder?.record(each)
    // As with an origin that answers in a later turn; and the journal must not outrun the upload for ever.
    await nextTurn()
    while (recorder && recorder.progress().pending > 50_000) await delay(5)
  }
  while (recorder && recorder.progress().pending > 0) await delay(20)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / REQUESTS
}

const directory = mkdtempSync(join(tmpdir(), 'sallyport-bench-journal-'))
const sink = spawn(process.execPath, ['-e', SINK], { stdio: ['ignore', 'pipe', 'inherit'] })
const [port] = await once(sink.stdout, 'data')
const recorder = await startRecorder({
  directory,
  controlUrls: new ControlUrls([`http://127.0.0.1:${Number(String(port))}`]),
  credential: new GatewayCredential('token'),
  journal: DEFAULT_JOURNAL_SETTINGS,
  report: () => ({ gatewayId: 'gateway-1', revision: 1, assertionKeys: { keys: [] }, health: [] }),
  log: (level, line) => console.error(level, line),
})
await measure(recorder, 16)
await measure(undefined, 16)
for (const perTurn of PER_TURN) {
  const off = await measure(undefined, perTurn)
  const on = await measure(recorder, perTurn)
  const cost = on - off
  console.log(
    `${String(perTurn).padStart(3)} requests a turn: on ${on.toFixed(2)} µs, off ${off.toFixed(2)} µs, recording costs ${cost.toFixed(2)} µs a request (bar at load: ${BAR_US})`,
  )
}
await recorder.close()
sink.kill()
rmSync(directory, { recursive: true, force: true })
