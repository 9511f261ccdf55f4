/** gRPC through the gate, by its own client and server: unary calls, streams both ways, errors in trailers, and cuts. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import { makeCertificate } from '../../packages/gateway/test/support/certificates.ts'
import {
  HOST,
  KEY,
  researcher,
  startTestDataPlane,
} from '../../packages/gateway/test/support/test-data-plane.ts'
import { blockRule } from '../support/block-rule.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const asText = (bytes: Buffer): string => bytes.toString()
const asBytes = (text: string): Buffer => Buffer.from(text)
const CODEC = {
  requestSerialize: asBytes,
  requestDeserialize: asText,
  responseSerialize: asBytes,
  responseDeserialize: asText,
}
const ECHO = '/test.Echo/Say'
const CHAT = '/test.Echo/Chat'
const SERVICE = {
  say: { path: ECHO, requestStream: false, responseStream: false, ...CODEC },
  chat: { path: CHAT, requestStream: true, responseStream: true, ...CODEC },
}

async function openGate(context: TestContext) {
  const server = new Server()
  server.addService(SERVICE, {
    say: (
      call: { request: string; metadata: Metadata },
      answer: (error: Partial<ServiceError> | null, text?: string, trailers?: Metadata) => void,
    ) => {
      if (call.request === 'fail') answer({ code: status.NOT_FOUND, details: 'nobody of that name' })
      else {
        const trailers = new Metadata()
        trailers.set('x-trailer', String(call.metadata.get('x-asked')[0] ?? 'none'))
        answer(null, call.request, trailers)
      }
    },
    chat: (call: ServerDuplexStream<string, string>) => {
      call.on('data', (text: string) => call.write(`${text}!`))
      call.on('end', () => call.end())
      call.on('error', () => {})
    },
  })
  const originPort = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  )
  context.after(() => server.forceShutdown())
  const directory = temporaryFolder(context)
  makeCertificate(directory, 'a', HOST)
  const gate = await startTestDataPlane(context, originPort, {
    settings: { tls: { directory, port: 0 } },
    site: { originProtocol: 'http2', blockRules: [blockRule('secret', '/test.Secret')] },
  })
  const client = new Client(
    `127.0.0.1:${gate.dataPlane.https?.port}`,
    credentials.createSsl(readFileSync(join(directory, 'a.crt'))),
    { 'grpc.ssl_target_name_override': HOST, 'grpc.default_authority': HOST },
  )
  context.after(() => client.close())
  return { ...gate, client }
}

function metadata(fields: Record<string, string> = {}): Metadata {
  const made = new Metadata()
  for (const [name, value] of Object.entries({ 'sallyport-key': KEY, ...fields })) made.set(name, value)
  return made
}

/** One call; what it answers with its trailers, or the error. */
function say(client: Client, text: string, fields = {}, path = ECHO): Promise<string> {
  return new Promise((resolve) => {
    let trailers = ''
    const call = client.makeUnaryRequest(path, asBytes, asText, text, metadata(fields), (error, answer) =>
      setImmediate(() =>
        resolve(error ? `${status[error.code]}: ${error.details}` : `${answer} ${trailers}`),
      ),
    )
    call.on('status', (ended) => {
      trailers = String(ended.metadata.get('x-trailer')[0] ?? '')
    })
  })
}

test('a unary call goes through with its trailers, and so does its error', async (context) => {
  const { client, recorder } = await openGate(context)
  assert.equal(await say(client, 'hello', { 'x-asked': 'yes' }), 'hello yes')
  assert.equal(await say(client, 'fail'), 'NOT_FOUND: nobody of that name')
  assert.equal(await say(client, 'x'.repeat(200_000)), `${'x'.repeat(200_000)} none`)
  const events = await recorder.waitFor(3)
  assert.deepEqual(
    events.map(({ method, path, httpVersion, status: code }) => [method, path, httpVersion, code])[0],
    ['POST', ECHO, '2', 200],
  )
})

test('many calls at once share what there is', async (context) => {
  const { client } = await openGate(context)
  const texts = Array.from({ length: 200 }, (_, index) => `call ${index}`)
  assert.deepEqual(
    await Promise.all(texts.map((text) => say(client, text))),
    texts.map((text) => `${text} none`),
  )
})

test('a stream goes both ways, message by message, until either side ends it', async (context) => {
  const { client, recorder } = await openGate(context)
  const call = client.makeBidiStreamRequest(CHAT, asBytes, asText, metadata())
  for (const text of ['one', 'two', 'three']) {
    call.write(text)
    const [said] = await once(call, 'data')
    assert.equal(said, `${text}!`)
  }
  call.end()
  const [ended] = await once(call.resume(), 'status')
  assert.equal(ended.code, status.OK)
  const [event] = await recorder.waitFor(1)
  assert.equal(event?.reason, '')
})

test('a stream is cut when access ends, and a rule holds for a method as for any path', async (context) => {
  const { client, snapshots } = await openGate(context)
  assert.match(await say(client, 'x', {}, '/test.Secret/Say'), /^PERMISSION_DENIED/)
  assert.match(await say(client, 'x', { 'sallyport-key': 'rk_live_none' }), /^UNAUTHENTICATED/)
  const call = client.makeBidiStreamRequest(CHAT, asBytes, asText, metadata())
  call.write('one')
  await once(call, 'data')
  const failed = once(call, 'error')
  snapshots.putResearcher(researcher({ paused: true }))
  const [error] = (await failed) as unknown as [ServiceError]
  assert.notEqual(error.code, status.OK)
})
