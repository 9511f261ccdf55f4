/** nginx in front of the gate: as a load balancer by the PROXY protocol, and as a reverse proxy by its headers. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { openFrom, rest } from '../../packages/gateway/test/support/arrival/connection-from.ts'
import { makeCertificate } from '../../packages/gateway/test/support/certificates.ts'
import { startRawOrigin } from '../../packages/gateway/test/support/raw-origin.ts'
import { HOST, request, startTestDataPlane } from '../../packages/gateway/test/support/test-data-plane.ts'
import { freePorts } from '../support/loopback.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  startNginxProxy,
  startNginxStream,
  startNginxWith,
  without,
  withoutNginxStream,
} from './support/programs.ts'

const CLIENT = '127.0.0.7'
const ASK = request('GET /', 'Connection: close', 'X-Forwarded-For: 198.51.100.9')

const openClient = (context: TestContext, port: number): Promise<Socket> => openFrom(context, port, CLIENT)

function askOn(socket: Socket): Promise<string> {
  const answer = rest(socket)
  socket.write(ASK)
  return answer
}

/** A gate with a certificate that believes a balancer on this machine by the PROXY protocol; `certificate` is the file of it. */
async function startGateBehindBalancer(context: TestContext) {
  const origin = await startRawOrigin(context)
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const gate = await startTestDataPlane(context, origin.port, {
    settings: { tls: { directory, port: 0 }, proxyProtocolFrom: ['127.0.0.1/32'] },
  })
  return { gate, httpsPort: gate.dataPlane.https?.port ?? 0, certificate: `${directory}/a.crt` }
}

test('a load balancer says whose a connection is, before HTTP and before TLS', {
  skip: withoutNginxStream,
}, async (context) => {
  const { gate, httpsPort } = await startGateBehindBalancer(context)
  const [plain = 0, secured = 0] = await startNginxStream(context, [gate.port, httpsPort])
  assert.match(await askOn(await openClient(context, plain)), /^HTTP\/1\.1 200 /)
  const tls = connectTls({
    socket: await openClient(context, secured),
    servername: HOST,
    rejectUnauthorized: false,
  })
  await once(tls, 'secureConnect')
  assert.match(await askOn(tls), /^HTTP\/1\.1 200 /)
  const events = await gate.recorder.waitFor(2)
  assert.deepEqual(
    events.map(({ clientAddress, scheme }) => `${clientAddress} ${scheme}`),
    [`${CLIENT} http`, `${CLIENT} https`],
  )
})

test('the shipped balancer of connections leaves TLS to the gate, and says whose they are', {
  skip: withoutNginxStream,
}, async (context) => {
  const { gate, httpsPort, certificate } = await startGateBehindBalancer(context)
  const [port = 0] = await freePorts(1)
  const shipped = readFileSync(new URL('../../deploy/nginx-stream.conf', import.meta.url), 'utf8')
  const replacements = {
    '127.0.0.1:7443': `127.0.0.1:${httpsPort}`,
    'listen 443': `listen 127.0.0.1:${port}`,
    'worker_processes auto': 'worker_processes 1',
  }
  assert.doesNotMatch(await startNginxWith(context, shipped, replacements, port), /\[(warn|emerg)\]/)
  const tls = connectTls({
    socket: await openClient(context, port),
    servername: HOST,
    ca: readFileSync(certificate),
  })
  await once(tls, 'secureConnect')
  assert.match(await askOn(tls), /^HTTP\/1\.1 200 /)
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.clientAddress, event?.scheme], [CLIENT, 'https'])
})

test('a reverse proxy says who asks it, and what its client made up before that is not believed', {
  skip: without('nginx'),
}, async (context) => {
  const origin = await startRawOrigin(context)
  const gate = await startTestDataPlane(context, origin.port, {
    settings: { trustedProxies: ['127.0.0.1/32'] },
  })
  const { port } = await startNginxProxy(context, gate.port)
  assert.match(await askOn(await openClient(context, port)), /^HTTP\/1\.1 200 /)
  const [event] = await gate.recorder.waitFor(1)
  assert.deepEqual([event?.clientAddress, event?.scheme], [CLIENT, 'https'])
  assert.match(origin.received[0] ?? '', /\r\nX-Forwarded-For: 127\.0\.0\.7\r\n/)
})
