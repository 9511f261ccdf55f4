/** What closes at a gateway, and what enrols it, says in one line why it could not: the first is used in a hurry. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { ENROLMENT_TOKEN_PREFIX, formatSecretKey, SECRET_KEY_RANDOM_BYTES } from '@sallyport/contract'
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

test('an enrolment whose disk is full says so, and goes on with the same token once there is room', async (context) => {
  const enrolled: unknown[] = []
  const server = createServer(async (request, response) => {
    enrolled.push(await json(request))
    response.writeHead(204).end()
  })
  const { url } = await listenForTest(context, server)
  const dataDir = temporaryFolder(context)
  const own = join(dataDir, 'gateway')
  const tokenFile = join(dataDir, 'token')
  writeFileSync(tokenFile, formatSecretKey(ENROLMENT_TOKEN_PREFIX, randomBytes(SECRET_KEY_RANDOM_BYTES)))
  const enroll = () =>
    promisify(execFile)(process.execPath, [MAIN, 'gateway', 'enroll', '--token-file', tokenFile], {
      env: { ...bareEnvironment, SALLYPORT_DATA_DIR: dataDir, SALLYPORT_CONTROL_URL: url },
    })
  const withFull = async (file: string): Promise<{ readonly code: number; readonly stderr: string }> => {
    symlinkSync('/dev/full', join(own, file))
    const ended = await enroll().then(
      () => assert.fail('it ended well'),
      (error: { code: number; stderr: string }) => error,
    )
    rmSync(join(own, file), { force: true })
    return ended
  }
  mkdirSync(own)
  // Before the token is used, and when the control plane has taken it already.
  for (const file of ['enrolment.json.new', 'credential.json.new']) {
    const { code, stderr } = await withFull(file)
    assert.equal(code, CANNOT_START, stderr)
    assert.match(
      stderr,
      /^sallyport: the data directory [^\n]+gateway cannot be written \(ENOSPC\): make room [^\n]+\n$/,
    )
  }
  assert.equal(enrolled.length, 1)
  await enroll()
  assert.deepEqual(enrolled[1], enrolled[0], 'by the credential that the control plane knows')
  assert.deepEqual(readdirSync(own).toSorted(), ['credential.json', 'id', 'lock.sqlite'])
})
