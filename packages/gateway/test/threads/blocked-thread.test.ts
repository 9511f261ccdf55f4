import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'

const PROGRAM = join(import.meta.dirname, 'support/gateway-that-blocks.ts')

test('a thread that is blocked in a system call, so that it cannot be ended, ends the process', async (context) => {
  const directory = temporaryFolder(context)
  const pipe = join(directory, 'pipe')
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0)
  const gateway = spawn(process.execPath, [PROGRAM, pipe], {
    env: { ...process.env, TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  context.after(() => gateway.kill('SIGKILL'))
  const said = text(gateway.stdout)
  const [, signal] = await once(gateway, 'exit')
  assert.equal(signal, 'SIGKILL')
  assert.match(await said, /thread 1 stands still and cannot be ended/)
})
