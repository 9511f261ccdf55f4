/** What gateways call a control plane with to be let in, and what its operator does for them. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import {
  ENROLMENT_PATH,
  type ENROLMENT_TOKEN_PREFIX,
  formatSecretKey,
  GATEWAY_CREDENTIAL_PREFIX,
  LEASE_PATH,
  SECRET_KEY_RANDOM_BYTES,
} from '@sallyport/contract'
import { createOperator } from '../../src/operator/operator.ts'
import type { TestControl } from '../support/control.ts'

export const newSecret = (prefix: typeof GATEWAY_CREDENTIAL_PREFIX | typeof ENROLMENT_TOKEN_PREFIX): string =>
  formatSecretKey(prefix, randomBytes(SECRET_KEY_RANDOM_BYTES))
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export function gatewayCalls(control: Pick<TestControl, 'url' | 'database'>) {
  const operator = createOperator(control.database, 'ada')

  /** Posts to a path of gateways; with no credential where the token is null. */
  async function send(
    path: string,
    body: object,
    token: string | null,
    headers: Record<string, string> = {},
  ) {
    const answer = await fetch(new URL(path, control.url), {
      method: 'POST',
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    const { status, headers: answered } = answer
    return {
      status,
      text,
      refusal: answered.get('www-authenticate'),
      retryAfter: answered.get('retry-after'),
    }
  }
  /** The status, or why it was refused. */
  async function enroll(token: string, gatewayId: string, credential: string): Promise<number | string> {
    const answer = await send(ENROLMENT_PATH, { token, gatewayId, credentialHash: hashOf(credential) }, null)
    return answer.status === 403 ? (JSON.parse(answer.text).reason as string) : answer.status
  }
  const makeToken = async (
    gatewayId: string | null = null,
    organizations: readonly string[] | null = null,
  ): Promise<string> => (await operator.makeEnrolmentToken({ gatewayId, organizations })).token
  /** The credential of a gateway that was enrolled with the token, or with one for any. */
  async function enrolled(gatewayId: string, token?: string): Promise<string> {
    const credential = newSecret(GATEWAY_CREDENTIAL_PREFIX)
    assert.equal(await enroll(token ?? (await makeToken()), gatewayId, credential), 204)
    return credential
  }
  /** Asks for a lease. */
  const challenge = (gatewayId: string, token: string) =>
    send(
      LEASE_PATH,
      { gatewayId, challenge: randomBytes(16).toString('base64url'), revision: 0, version: '1.0.0' },
      token,
    )
  return { operator, send, enroll, makeToken, enrolled, challenge }
}
