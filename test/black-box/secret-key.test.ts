/** What the log says, at its default level, of a secret key that is another than before. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startInstallation } from '../support/installation.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const dataDir = temporaryFolder({ after })

/** Runs it under a key, beside earlier ones, until it has printed what is looked for. */
async function runUntil(key: string, earlier: string, printed: string): Promise<void> {
  const environment = { SALLYPORT_SECRET_KEY: key, SALLYPORT_EARLIER_SECRET_KEYS: earlier }
  const installation = await startInstallation({ dataDir, environment })
  while (!installation.output().includes(printed)) await delay(20)
  assert.equal(await installation.stop(), 0)
}

test('a key that is missing is told, and so is that everything was sealed anew', async () => {
  const [first, second] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
  await runUntil(first, '', 'Sallyport is ready.')
  await runUntil(second, '', 'stored secrets are under a secret key that is not known')
  await runUntil(second, first, 'secrets were sealed anew under the present secret key')
})
