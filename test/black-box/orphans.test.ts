/** The supervisor alone is killed: its children stop by themselves, and the next start waits for them and goes on. Asked to stop, it leaves none. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startInstallation } from '../support/installation.ts'
import { descendantsOf, untilGone } from '../support/processes.ts'

const installation = await startInstallation()
after(() => installation.remove())

test('a start right after the death of the supervisor takes everything over', async () => {
  const supervisor = installation.process('supervisor').pid
  const children = descendantsOf(supervisor).map(({ pid }) => pid)
  const roles = [installation.process('control').pid, installation.process('gateway').pid]
  process.kill(supervisor, 'SIGKILL')
  await installation.start()
  await untilGone(children)
  assert.equal((await installation.api('GET', '/api/sites')).status, 200)
  for (const role of ['control', 'gateway'] as const)
    assert.ok(!roles.includes(installation.process(role).pid))
})

test('a terminal that is closed stops everything in order, the database too', async () => {
  const supervisor = installation.process('supervisor').pid
  const children = descendantsOf(supervisor).map(({ pid }) => pid)
  assert.equal(await installation.stop('SIGHUP'), 0)
  await untilGone(children)
})
