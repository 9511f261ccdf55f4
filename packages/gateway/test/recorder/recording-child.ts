/**
 * A gateway reduced to its record, to be killed: forwards as fast as it may, 32 requests at a time, to an origin that is
 * a file of the ids that it saw. Arguments: journal directory, control plane, origin file, prefix of the ids.
 */
import { openSync, writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { startRecorder } from '../../src/recorder/start-recorder.ts'
import { sampleEvent } from './support.ts'

const [directory = '', controlUrl = '', originPath = '', prefix = ''] = process.argv.slice(2)
const WORKERS = 32
const origin = openSync(originPath, 'a')
const recorder = await startRecorder({
  directory,
  controlUrl,
  gatewayToken: 'token',
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
let count = 0
async function work(): Promise<void> {
  while (!stopping) {
    count += 1
    const event = sampleEvent(`${prefix}-${count}`)
    await recorder.intend(event)
    // What is written to a file stays there when the process is killed, as what went to an origin has gone.
    writeSync(origin, `${event.id}\n`)
    if (count % 3 === 0) await nextTurn()
    recorder.record(event)
    await nextTurn()
  }
}
await Promise.all(Array.from({ length: WORKERS }, work))
await recorder.close()
