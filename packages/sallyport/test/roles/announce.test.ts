import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { readConfig } from '../../src/config.ts'
import { writePrivateJson } from '../../src/private-file.ts'
import { announce } from '../../src/roles/announce.ts'
import { type FirstRun, firstRunFile } from '../../src/roles/first-run-file.ts'

test('what is printed of an IPv6 address is a URL', async (context) => {
  const folder = temporaryFolder(context)
  const printed = context.mock.method(console, 'log', () => undefined)
  const hosts = { SALLYPORT_CONTROL_HOST: '::1', SALLYPORT_GATEWAY_HOST: '0.0.0.0' }
  announce(await readConfig({ SALLYPORT_DATA_DIR: folder, ...hosts }), false, true)
  const text = String(printed.mock.calls[0]?.arguments[0])
  assert.match(text, /console and API +http:\/\/\[::1\]:7070$/m)
  assert.match(text, /gateway +http:\/\/0\.0\.0\.0:7080$/m)
})

const FIRST_RUN: FirstRun = {
  controlUrl: 'http://127.0.0.1:7070',
  gatewayUrl: 'http://127.0.0.1:7080',
  organizationId: 'o',
  email: 'owner@sallyport.local',
  password: 'the-password_1',
  apiKey: 'ak_live_secret',
  researcher: { id: 'r', email: 'researcher@sallyport.local', key: 'rk_live_secret' },
}
const SECRETS = [FIRST_RUN.password, FIRST_RUN.apiKey, FIRST_RUN.researcher.key]

/** What a first run prints, in a folder whose name a shell would take apart. */
async function printedOf(context: TestContext, isTerminal: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sallyport's announce $HOME-"))
  context.after(() => rmSync(folder, { recursive: true }))
  const settings = await readConfig({ SALLYPORT_DATA_DIR: folder })
  writePrivateJson(firstRunFile(settings), FIRST_RUN)
  const printed = context.mock.method(console, 'log', () => undefined)
  announce(settings, true, isTerminal)
  const text = String(printed.mock.calls[0]?.arguments[0])
  assert.ok(text.includes(firstRunFile(settings)))
  return text
}

test('a terminal is shown the credentials of the first run', async (context) => {
  const text = await printedOf(context, true)
  for (const secret of SECRETS) assert.ok(text.includes(secret), secret)
})

test('where there is no terminal, no secret is printed, and the commands that are read them', async (context) => {
  const text = await printedOf(context, false)
  for (const secret of SECRETS) assert.ok(!text.includes(secret), secret)
  const commands = text.split('\n').filter((line) => line.includes('sed -n'))
  assert.equal(commands.length, 3)
  const script = [...commands, 'echo "$API_KEY"; echo "$RESEARCHER_KEY"'].join('\n')
  const read = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).trim().split('\n')
  assert.deepEqual(read.toSorted(), SECRETS.toSorted())
})
