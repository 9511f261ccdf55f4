/** Each process of an installation is told the secrets that it needs, and no others. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startInstallation } from '../../../../test/support/installation.ts'

const SECRETS = {
  SALLYPORT_SMTP_URL: 'smtp://user:secret@127.0.0.1:9',
  SALLYPORT_SMTP_FROM: 'sallyport@example.com',
  SALLYPORT_GATEWAY_ADMIN_TOKEN: 'token-of-the-admin-port',
}

test('the gateway is not told how to send mail, nor the control plane how to close the gateway', async (context) => {
  const installation = await startInstallation({ environment: SECRETS })
  context.after(() => installation.remove())
  /** Variables that are there and not empty. */
  const toldTo = (role: 'control' | 'gateway'): string[] =>
    readFileSync(`/proc/${installation.process(role).pid}/environ`, 'utf8')
      .split('\0')
      .filter((entry) => !/^[^=]*=$/.test(entry))
      .map((entry) => entry.slice(0, entry.indexOf('=')))
  const gateway = toldTo('gateway')
  const control = toldTo('control')
  for (const name of ['SALLYPORT_SMTP_URL', 'SALLYPORT_SMTP_FROM', 'SALLYPORT_SECRET_KEY', 'DATABASE_URL']) {
    assert.ok(control.includes(name), name)
    assert.ok(!gateway.includes(name), name)
  }
  assert.ok(gateway.includes('SALLYPORT_GATEWAY_ADMIN_TOKEN'))
  assert.ok(!control.includes('SALLYPORT_GATEWAY_ADMIN_TOKEN'))
})
