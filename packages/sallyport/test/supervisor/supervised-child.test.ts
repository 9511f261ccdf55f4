import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { CANNOT_START } from '../../src/roles/run-role.ts'
import { superviseChild } from '../../src/supervisor/supervised-child.ts'

const folder = temporaryFolder({ after })

const supervise = (script: string, reports: string[] = []) =>
  superviseChild({
    name: 'the child',
    args: ['-e', script],
    env: process.env,
    report: (line) => reports.push(line),
    stopTimeoutMs: 500,
  })

async function eventually(condition: () => boolean): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 20) {
    if (condition()) return
    await delay(20)
  }
  assert.fail('it did not come about in 10 s')
}

test('a child that dies is started again, and stays stopped once it was stopped', async () => {
  const log = join(folder, 'starts')
  const reports: string[] = []
  const child = supervise(
    `require('fs').appendFileSync(${JSON.stringify(log)}, process.pid + '\\n')
     process.send('ready'); setInterval(() => {}, 1000)`,
    reports,
  )
  await child.ready
  const pids = () => readFileSync(log, 'utf8').trim().split('\n').map(Number)
  process.kill(pids()[0] ?? 0, 'SIGKILL')
  await eventually(() => pids().length === 2)
  assert.deepEqual(reports, ['the child ended (SIGKILL) and is started again'])
  await child.stop()
  await delay(200)
  assert.equal(pids().length, 2)
})

test('a child that cannot start is not tried again', async () => {
  const reports: string[] = []
  const child = supervise(`process.exit(${CANNOT_START})`, reports)
  await assert.rejects(child.ready, { name: 'OperatorError', message: 'the child cannot start' })
  assert.deepEqual(reports, [])
  await child.stop()
})

test('a child that does not stop is killed', async () => {
  const child = supervise(
    `process.on('SIGTERM', () => {}); process.send('ready'); setInterval(() => {}, 1000)`,
  )
  await child.ready
  await child.stop()
})
