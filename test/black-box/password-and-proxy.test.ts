/** The ways in for clients that cannot send a header, through the whole command: a site's switch, and the gateway's proxy port. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connect } from 'node:tls'
import type { Site } from '@sallyport/contract'
import { makeCertificate } from '../../packages/gateway/test/support/certificates.ts'
import { eventually, type Installation, startInstallation } from '../support/installation.ts'
import { freePorts, type LoopbackServer, listenOnLoopback } from '../support/loopback.ts'
import { createSite, untilDeployed } from '../support/site.ts'

const HOST = 'shop.gate.localhost'
const directory = mkdtempSync(join(tmpdir(), 'sallyport-certificates-'))
let origin: LoopbackServer
let installation: Installation
let site: Site
let proxyPort = 0

before(async () => {
  makeCertificate(directory, 'shop', HOST)
  const [tlsPort, port = 0] = await freePorts(2)
  proxyPort = port
  origin = await listenOnLoopback(
    createServer((request, response) => response.end(JSON.stringify(request.headers))),
  )
  installation = await startInstallation({
    environment: {
      SALLYPORT_TLS_DIR: directory,
      SALLYPORT_TLS_PORT: String(tlsPort),
      SALLYPORT_PROXY_PORT: String(port),
    },
  })
  site = await createSite(installation, HOST, origin.url)
})
after(async () => {
  await installation.remove()
  await origin.close()
  rmSync(directory, { recursive: true, force: true })
})

const authorization = () =>
  `Basic ${Buffer.from(`ada:${installation.firstRun.researcher.key}`).toString('base64')}`

test('a key as the password enters once the owner says so, and is nothing again once they do not', async () => {
  const enter = () => installation.gate(HOST, '/', { key: null, headers: { authorization: authorization() } })
  const allow = async (acceptsKeyAsPassword: boolean) => {
    const settings = { pathConventions: [], passesKnownHeadersOnly: false, acceptsKeyAsPassword }
    assert.equal((await installation.api('PUT', `/api/Sites/${site.id}/forwarding`, settings)).status, 200)
    await untilDeployed(installation, site.id)
  }
  assert.equal((await enter()).status, 401)
  await allow(true)
  const answer = await enter()
  assert.equal(answer.status, 200)
  assert.doesNotMatch(answer.body, /"authorization"|rk_live/)
  await allow(false)
  assert.equal((await enter()).status, 401)
})

test('the proxy port carries a request of the researcher, which the record has', async () => {
  const socket = connect({ port: proxyPort, servername: HOST, rejectUnauthorized: false })
  const lines = [`Host: ${HOST}`, `Proxy-Authorization: ${authorization()}`, 'Connection: close', '', '']
  socket.write(`GET http://${HOST}/by-proxy HTTP/1.1\r\n${lines.join('\r\n')}`)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  assert.match(text, /^HTTP\/1\.1 200 /)
  assert.doesNotMatch(text, /rk_live|proxy-/)
  const recorded = await eventually(async () => {
    const { body } = await installation.api<{ items: { target: string; researcherId: string }[] }>(
      'GET',
      `/api/Analytics/requests?siteId=${site.id}&limit=50`,
    )
    return body.items?.find(({ target }) => target === '/by-proxy')
  }, 20_000)
  assert.equal(recorded.researcherId, installation.firstRun.researcher.id)
})
