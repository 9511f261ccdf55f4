/**
 * A gateway reduced to its record, to be killed: forwards a few thousand requests a second, 32 at a time, to an origin that is
 * a file of the ids that it saw. Arguments: journal directory, control plane, origin file, prefix of the ids.
 */

import { openSync, writeSync } from 'node:fs'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { ControlUrls } from '../../src/control-plane/control-urls.ts'
import { GatewayCredential } from '../../src/control-plane/credential.ts'
import { startRecorder } from '../../src/record/start-recorder.ts'
import { sampleEvent } from './support.ts'

const [directory = '', controlUrl = '', originPath = '', prefix = ''] = process.argv.slice(2)
const WORKERS = 32
const PAUSE_MS = 5
const origin = openSync(originPath, 'a')
const recorder = await startRecorder({
  directory,
  controlUrls: new ControlUrls([controlUrl]),
  credential: new GatewayCredential('token'),
  journal: { segmentBytesMax: 64 * 1024, totalBytesMax: 64 * 1024 * 1024, whenFull: 'stop' },
  report: () => ({ gatewayId: 'gateway-1', revision: 1, assertionKeys: { keys: [] }, health: [] }),
  log: (level, line) => {
    if (level === 'error') console.error(line)
  },
})
let stopping = false
process.on('SIGTERM', () => {
  stopping = true
})
console.log('ready')
let count = 0
async function work(): Promise<void> {
  while (!stopping) {
    if (!recorder.admitting) {
      await sleep(20)
      continue
    }
    count += 1
    const event = sampleEvent(`${prefix}-${count}`)
    await recorder.intend(event)
    // What is written to a file stays there when the process is killed, as what went to an origin has gone.
    writeSync(origin, `${event.id}\n`)
    if (count % 3 === 0) await nextTurn()
    recorder.record(event)
    await sleep(PAUSE_MS)
  }
}
await Promise.all(Array.from({ length: WORKERS }, work))
await recorder.close()
