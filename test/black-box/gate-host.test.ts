/** From an invitation to a page of a site, over the gate's own host of a whole installation: once, recorded, and ended. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { eventually, type GateAnswer, type Installation, startInstallation } from '../support/installation.ts'
import { type LoopbackServer, listenOnLoopback } from '../support/loopback.ts'
import { createSite } from '../support/site.ts'

const SITE = 'shop.gate.localhost'
const PAGE = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
let origin: LoopbackServer
let installation: Installation
let gateUrl: string

before(async () => {
  origin = await listenOnLoopback(createServer((_message, response) => response.end('hello')))
  installation = await startInstallation()
  await createSite(installation, SITE, origin.url)
  gateUrl = `http://sallyport.gate.localhost:${new URL(installation.gatewayUrl).port}`
})
after(async () => {
  await installation.remove()
  await origin.close()
})

const cookiesOf = (answer: GateAnswer): string[] =>
  (answer.headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0] ?? '')

const call = (path: string, body: object, cookie?: string): Promise<GateAnswer> =>
  installation.gate(new URL(gateUrl).host, path, {
    method: 'POST',
    key: null,
    headers: { origin: gateUrl, 'content-type': 'application/json', ...(cookie && { cookie }) },
    body: JSON.stringify(body),
  })

const open = (url: string, cookie = ''): Promise<GateAnswer> => {
  const { host, pathname, search } = new URL(url)
  return installation.gate(host, pathname + search, { key: null, headers: { ...PAGE, cookie } })
}

test('an invitation signs one browser in, which then enters a site, until its sessions are ended', async () => {
  const invited = await installation.api<{ id: string; invitation: string }>('POST', '/api/Hackers', {
    email: 'ada@example.com',
  })
  const [link = '', token = ''] = invited.body.invitation.split('#token=')
  assert.equal(link, `${gateUrl}/invitation`)
  assert.match((await open(link)).body, /<!doctype html>/i)
  const attempt = 'a'.repeat(22)
  const accepted = await eventually(async () => {
    const answer = await call('/api/invitations', { token, attempt })
    return answer.status === 200 && answer
  })
  assert.equal(JSON.parse(accepted.body).researcher.email, 'ada@example.com')
  assert.equal((await call('/api/invitations', { token, attempt: 'b'.repeat(22) })).status, 404)
  const [session = ''] = cookiesOf(accepted)

  const siteUrl = gateUrl.replace('sallyport.', 'shop.')
  const away = await open(`${siteUrl}/page?id=1`)
  assert.equal(away.status, 303)
  const begun = await open(siteUrl + away.headers.location)
  const asked = new URL(String(begun.headers.location)).searchParams
  const [host, nonce, to] = ['host', 'nonce', 'to'].map((name) => asked.get(name))
  const { location } = JSON.parse((await call('/api/codes', { host, nonce, to }, session)).body)
  const entered = await open(location, cookiesOf(begun)[0])
  assert.equal(entered.headers.location, `${siteUrl}/page?id=1`)
  const [gatedSession = ''] = cookiesOf(entered)
  assert.equal((await open(`${siteUrl}/page?id=1`, gatedSession)).body, 'hello')

  const { items } = await eventually(async () => {
    const { body } = await installation.api<{ items: { target: string; siteId: string; status: number }[] }>(
      'GET',
      '/api/Analytics/requests?limit=50',
    )
    return body.items.length >= 5 && body
  }, 20_000)
  const recorded = items.map(
    ({ target, siteId, status }) => `${target} ${status} ${siteId === '' ? 'gate' : 'site'}`,
  )
  for (const line of [
    '/api/invitations 200 gate',
    '/api/codes 200 site',
    '/.sallyport/enter?code=*** 303 site',
    '/page?id=1 200 site',
  ])
    assert.ok(recorded.includes(line), `${line} is not among ${recorded.join(', ')}`)
  assert.ok(!JSON.stringify(items).includes(token))

  await installation.api('POST', `/api/Hackers/${invited.body.id}/endSessions`)
  await eventually(async () => (await open(`${siteUrl}/`, gatedSession)).status === 303)
  assert.equal((await call('/api/codes', { host, nonce, to }, session)).status, 401)
})
