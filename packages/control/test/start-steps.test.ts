/** What is done beside a start: once there are tables, and before anybody can ask. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type ControlPlane, type StartSteps, startControl } from '../src/index.ts'
import { startTestControl } from './support/control.ts'

const one = await startTestControl()
after(() => one.close())
const settings = { ...one.settings, clickhouse: { url: 'http://127.0.0.1:9' } }

test('a start is over when its first data is there, which finds the tables', async () => {
  const steps: string[] = []
  const filling = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const started = startControl(settings, {
    prepare: async () => void steps.push('prepare'),
    fill: async () => {
      steps.push('fill')
      await one.database.readInstallation((tx) => tx.query('SELECT revision FROM installation'))
      begun.resolve()
      await filling.promise
      steps.push('filled')
    },
  }).then((control) => {
    steps.push('serves')
    return control
  })
  await begun.promise
  assert.deepEqual(steps, ['prepare', 'fill'])
  filling.resolve()
  const control: ControlPlane = await started
  assert.deepEqual(steps, ['prepare', 'fill', 'filled', 'serves'])
  await control.close()
})

for (const step of ['prepare', 'fill'] as const)
  test(`where to ${step} fails, nothing serves`, async () => {
    const steps: StartSteps = { prepare: async () => undefined, fill: async () => undefined }
    const failing = { ...steps, [step]: () => Promise.reject(new Error(`no ${step}`)) }
    await assert.rejects(startControl(settings, failing), { message: `no ${step}` })
  })
