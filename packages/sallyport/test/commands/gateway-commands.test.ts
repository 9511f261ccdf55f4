/** What closes at a gateway says in one line why it could not: it is used in a hurry. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { bareEnvironment } from '../../../../test/support/environment.ts'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { CANNOT_START } from '../../src/roles/run-role.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const env = {
  ...bareEnvironment,
  SALLYPORT_DATA_DIR: temporaryFolder({ after }),
  SALLYPORT_GATEWAY_ADMIN_TOKEN: 'a'.repeat(16),
}

/** What it says of why it failed, which must be for the operator to mend. */
async function failure(url: string): Promise<string> {
  const ended = promisify(execFile)(process.execPath, [MAIN, 'gateway', 'closed', '--url', url], { env })
  const { code, stderr } = await ended.then(
    () => assert.fail('it ended well'),
    (error: { code: number; stderr: string }) => error,
  )
  assert.equal(code, CANNOT_START, stderr)
  return stderr
}

test('a URL that is none, or not that of the admin port of a gateway', async (context) => {
  assert.match(await failure('nonsense'), /^sallyport: --url: nonsense is not [^\n]+\n$/)
  const server = createServer((request, response) =>
    request.url === '/closures' ? response.writeHead(404).end('<!DOCTYPE html>') : response.destroy(),
  )
  const { url } = await listenForTest(context, server)
  assert.match(
    await failure(url),
    /^sallyport: what answers at [^\n]+ is not a gateway's admin port[^\n]+404[^\n]*\n$/,
  )
})
