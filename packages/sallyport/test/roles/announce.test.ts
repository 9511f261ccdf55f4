import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { announce } from '../../src/roles/announce.ts'

test('what is printed of an IPv6 address is a URL', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-announce-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const printed = context.mock.method(console, 'log', () => undefined)
  const hosts = { SALLYPORT_CONTROL_HOST: '::1', SALLYPORT_GATEWAY_HOST: '0.0.0.0' }
  announce(await readConfig({ SALLYPORT_DATA_DIR: folder, ...hosts }), false)
  const text = String(printed.mock.calls[0]?.arguments[0])
  assert.match(text, /console and API +http:\/\/\[::1\]:7070$/m)
  assert.match(text, /gateway +http:\/\/0\.0\.0\.0:7080$/m)
})
