import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ENROLMENT_PATH, ENROLMENT_TOKEN_PREFIX } from '@sallyport/contract'
import { GATEWAY_TOKEN, startTestControl } from '../support/control.ts'
import { gatewayCalls, hashOf, newSecret } from './gateway-calls.ts'

const control = await startTestControl()
after(() => control.close())
const { send, challenge } = gatewayCalls(control)

const guess = async (): Promise<number> => {
  const token = newSecret(ENROLMENT_TOKEN_PREFIX)
  const body = { token, gatewayId: 'stranger', credentialHash: hashOf('x') }
  return (await send(ENROLMENT_PATH, body, null)).status
}
const lease = async (): Promise<number> => (await challenge('own', GATEWAY_TOKEN)).status

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
