/** What an attacker does at the gate with tools of their own, outside of any browser. */
import assert from 'node:assert/strict'
import { type GateAnswer, goThrough } from '../../support/installation.ts'
import type { Gate, GatedSite } from './gate.ts'

const SESSION = /^__Host-Http-sallyport=[^;]/
const NONCE = /^__Host-Http-sallyport-nonce=[^;]/

export interface BegunSignIn {
  /** The nonce that the attacker was given, as a `Cookie` header value. */
  readonly cookie: string
  /** Where the browser that began it would be led to: the gate's own host. */
  readonly location: string
}

/** Begins a sign-in at a site and keeps its nonce. */
export async function beginSignIn(gate: Gate, site: GatedSite): Promise<BegunSignIn> {
  const answer = await goThrough(gate.installation.gatewayUrl, site.host, '/.sallyport/sign-in?to=/', {
    headers: { accept: 'text/html' },
  })
  const cookie = cookiesOf(answer).find((one) => NONCE.test(one))
  assert.ok(cookie, `no nonce came: ${answer.status} ${answer.body}`)
  const { location = '' } = answer.headers
  assert.ok(location.startsWith(`${gate.url}/sign-in?`), location)
  return { cookie: cookie.split(';', 1)[0] ?? '', location }
}

/** Opens a target of a gated host at any gateway, with whatever cookie; whether it began a session. */
export async function signsIn(
  gatewayUrl: string,
  host: string,
  target: string,
  cookie: string,
): Promise<boolean> {
  const answer = await goThrough(gatewayUrl, host, target, {
    headers: { accept: 'text/html', ...(cookie ? { cookie } : {}) },
  })
  return cookiesOf(answer).some((one) => SESSION.test(one))
}

/** The target that lets the holder of `begun` in as the researcher of a key, by a code of that researcher's own. */
export async function enterTarget(
  gate: Gate,
  site: GatedSite,
  begun: BegunSignIn,
  key: string,
): Promise<string> {
  const asked = new URL(begun.location).searchParams
  const answer = await goThrough(gate.installation.gatewayUrl, new URL(gate.url).host, '/api/codes', {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ host: site.host, nonce: asked.get('nonce'), to: '/' }),
  })
  assert.equal(answer.status, 200, answer.body)
  const { pathname, search } = new URL(JSON.parse(answer.body).location)
  return pathname + search
}

const cookiesOf = ({ headers }: GateAnswer): readonly string[] => headers['set-cookie'] ?? []
