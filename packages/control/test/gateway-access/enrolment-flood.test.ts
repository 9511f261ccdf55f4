import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import {
  ENROLMENT_PATH,
  ENROLMENT_TOKEN_PREFIX,
  formatSecretKey,
  LEASE_PATH,
  SECRET_KEY_RANDOM_BYTES,
} from '@sallyport/contract'
import { GATEWAY_TOKEN, startTestControl } from '../support/control.ts'

const control = await startTestControl()
after(() => control.close())

async function post(path: string, body: object, token?: string): Promise<number> {
  const answer = await fetch(new URL(path, control.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  await answer.arrayBuffer()
  return answer.status
}
const guess = () =>
  post(ENROLMENT_PATH, {
    token: formatSecretKey(ENROLMENT_TOKEN_PREFIX, randomBytes(SECRET_KEY_RANDOM_BYTES)),
    gatewayId: 'stranger',
    credentialHash: 'a'.repeat(64),
  })
const lease = () =>
  post(LEASE_PATH, { gatewayId: 'own', challenge: 'a'.repeat(22), revision: 0, version: '1' }, GATEWAY_TOKEN)

test('attempts of strangers that wait for one another leave the database to leases', async () => {
  assert.equal(await lease(), 200)
  const answers: number[] = []
  const guesses = await control.database.writeInstallation(async (tx) => {
    await tx.query('LOCK TABLE sign_in_attempts IN EXCLUSIVE MODE')
    const under = Array.from({ length: 100 }, async () => answers.push(await guess()))
    while (answers.length < 100 - 68) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.deepEqual([...new Set(answers)], [503], 'more than may wait')
    assert.equal(await lease(), 200)
    return { under }
  })
  await Promise.all(guesses.under)
  const counted = answers.filter((status) => status !== 503)
  assert.deepEqual(
    [counted.filter((status) => status === 403).length, counted.filter((status) => status === 429).length],
    [20, 48],
  )
})
