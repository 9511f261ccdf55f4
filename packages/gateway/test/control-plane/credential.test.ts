/** A gateway's own credential: enrolled, renewed with nothing lost at any moment, and what is said where it does not hold. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { ENROLMENT_PATH, RENEWAL_PATH } from '@sallyport/contract'
import { describeAnswer } from '../../src/control-plane/control-request.ts'
import { ControlUrls } from '../../src/control-plane/control-urls.ts'
import {
  GatewayCredential,
  hashCredential,
  type KeptCredential,
  keepCredential,
  newCredential,
  readCredential,
} from '../../src/control-plane/credential.ts'
import { CredentialRenewer } from '../../src/control-plane/credential-renewer.ts'
import { enrollGateway } from '../../src/control-plane/enroll.ts'
import { closeAtEnd, temporaryDirectory, until } from '../record/support.ts'

interface Asked {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: Record<string, string>
}
type Answer = (asked: Asked, request: IncomingMessage) => Promise<[number, object?] | 'nothing'>

/** A control plane that answers as it is told. */
async function startControl(context: TestContext, answer: Answer) {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request))
    const asked = { path: request.url ?? '', authorization: request.headers.authorization, body }
    const said = await answer(asked, request)
    if (said === 'nothing') return request.socket.destroy()
    response.statusCode = said[0]
    return response.end(said[1] ? JSON.stringify(said[1]) : '')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const ENROLMENT = { gatewayId: 'one', token: 'ge_live_token' }

test('an enrolment sends the hash alone, again where no answer came, and keeps the credential for its owner', async (context) => {
  const dataDir = await temporaryDirectory(context)
  const asked: Asked[] = []
  const controlUrl = await startControl(context, async (one) => {
    asked.push(one)
    return asked.length === 1 ? 'nothing' : [204]
  })
  await enrollGateway({ controlUrl, dataDir, ...ENROLMENT })
  const kept = await readCredential(dataDir)
  assert.equal(kept?.gatewayId, 'one')
  const credentialHash = hashCredential(kept?.credential ?? '')
  const sent = { path: ENROLMENT_PATH, authorization: undefined, body: { ...ENROLMENT, credentialHash } }
  assert.deepEqual(asked, [sent, sent])
  assert.equal((await stat(join(dataDir, 'credential.json'))).mode & 0o777, 0o600)
})

test('an enrolment leaves nothing of what the gateway was told before, and one that is refused leaves it', async (context) => {
  const dataDir = await temporaryDirectory(context)
  const told = ['snapshot.ndjson', 'snapshot.ndjson.damaged-1', 'snapshot.ndjson.new']
  for (const name of [...told, 'closures.json']) await writeFile(join(dataDir, name), 'of somebody')
  let answer: [number, object?] = [403, { reason: 'token_used' }]
  const controlUrl = await startControl(context, async () => answer)
  await assert.rejects(enrollGateway({ controlUrl, dataDir, ...ENROLMENT }))
  assert.deepEqual((await readdir(dataDir)).sort(), ['closures.json', ...told])
  answer = [204]
  await enrollGateway({ controlUrl, dataDir, ...ENROLMENT })
  assert.deepEqual((await readdir(dataDir)).sort(), ['closures.json', 'credential.json'])
})

test('an enrolment that used the token up and could not keep the credential is finished by the same token', async (context) => {
  const dataDir = await temporaryDirectory(context)
  const hashes: string[] = []
  const controlUrl = await startControl(context, async ({ body }) => {
    hashes.push(body.credentialHash ?? '')
    return hashes.length === 1 ? [503] : [204]
  })
  const enroll = (given = {}) => enrollGateway({ controlUrl, dataDir, ...ENROLMENT, ...given })
  await assert.rejects(enroll(), /answered 503/)
  assert.equal((await stat(join(dataDir, 'enrolment.json'))).mode & 0o777, 0o600)
  await mkdir(join(dataDir, 'credential.json'))
  await assert.rejects(enroll())
  await rmdir(join(dataDir, 'credential.json'))
  await enroll()
  assert.deepEqual(hashes, Array(3).fill(hashes[0]))
  assert.equal(hashCredential((await readCredential(dataDir))?.credential ?? ''), hashes[0])
  await enroll({ token: 'ge_live_another' })
  assert.notEqual(hashes[3], hashes[0])
  assert.deepEqual(await readdir(dataDir), ['credential.json'])
})

test('a credential that is begun with one token or name is not used with another', async (context) => {
  const dataDir = await temporaryDirectory(context)
  const hashes: string[] = []
  const controlUrl = await startControl(context, async ({ body }) => {
    hashes.push(body.credentialHash ?? '')
    return [503]
  })
  for (const given of [{}, { token: 'ge_live_another' }, { gatewayId: 'two' }])
    await assert.rejects(enrollGateway({ controlUrl, dataDir, ...ENROLMENT, ...given }))
  assert.equal(new Set(hashes).size, 3)
})

test('a token is not used up where the credential cannot be kept', async (context) => {
  const dataDir = await temporaryDirectory(context)
  await mkdir(join(dataDir, 'enrolment.json.new'))
  let asked = 0
  const controlUrl = await startControl(context, async () => {
    asked += 1
    return [204]
  })
  await assert.rejects(enrollGateway({ controlUrl, dataDir, ...ENROLMENT }))
  assert.equal(asked, 0)
})

for (const [reason, said] of [
  ['token_used', /used already/],
  ['token_ended', /too old/],
  ['name_taken', /enrolled already/],
  ['something new', /does not know this token/],
] as const)
  test(`an enrolment that is refused for ${reason} keeps nothing`, async (context) => {
    const dataDir = await temporaryDirectory(context)
    const controlUrl = await startControl(context, async () => [403, { reason }])
    await assert.rejects(enrollGateway({ controlUrl, dataDir, ...ENROLMENT }), said)
    assert.equal(await readCredential(dataDir), undefined)
  })

test('an enrolment that nobody answers says so', async (context) => {
  const dataDir = await temporaryDirectory(context)
  const controlUrl = await startControl(context, async () => 'nothing')
  await assert.rejects(enrollGateway({ controlUrl, dataDir, ...ENROLMENT }), /does not answer/)
})

async function startRenewal(context: TestContext, answer: Answer, given: Partial<KeptCredential> = {}) {
  const dataDir = await temporaryDirectory(context)
  const kept: KeptCredential = { gatewayId: 'one', credential: newCredential(), ...given }
  await keepCredential(dataDir, kept)
  const lines: string[] = []
  const controlUrls = new ControlUrls([
    await startControl(context, (asked, request) => {
      onDisk = readCredential(dataDir)
      return answer(asked, request)
    }),
  ])
  let onDisk: Promise<KeptCredential | undefined> = Promise.resolve(undefined)
  const credential = new GatewayCredential(kept.credential)
  const shown: string[] = []
  credential.onReplaced((one) => shown.push(one))
  const log = (_level: string, line: string): number => lines.push(line)
  const renewal = closeAtEnd(context, new CredentialRenewer({ controlUrls, credential, kept, dataDir, log }))
  return { credential, dataDir, kept, lines, renewal, shown, onDisk: () => onDisk }
}

test('the next credential is on the disk before it is told of, and shown once it alone is kept', async (context) => {
  const asked: Asked[] = []
  const it = await startRenewal(context, async (one) => {
    asked.push(one)
    return [204]
  })
  it.renewal.begin()
  it.renewal.begin()
  await until(() => it.shown.length > 0, 'the next credential')
  const [next = ''] = it.shown
  assert.deepEqual(asked, [
    {
      path: RENEWAL_PATH,
      authorization: `Bearer ${it.kept.credential}`,
      body: { gatewayId: 'one', credentialHash: hashCredential(next) },
    },
  ])
  assert.deepEqual(await it.onDisk(), { ...it.kept, next })
  assert.deepEqual(await readCredential(it.dataDir), { gatewayId: 'one', credential: next })
  assert.equal(it.credential.current, next)
})

test('a renewal that stopped before its answer came goes on with the same credential', async (context) => {
  const next = newCredential()
  const it = await startRenewal(context, async () => [204], { next })
  it.renewal.begin()
  await until(() => it.shown.length > 0, 'the next credential')
  assert.deepEqual(it.shown, [next])
})

test('a renewal that fails leaves the credential as it is, and tells no secret', async (context) => {
  const it = await startRenewal(context, async () => [503])
  it.renewal.begin()
  await until(() => it.lines.length > 0, 'a line')
  assert.match(it.lines[0] ?? '', /not renewed yet: the control plane answered 503/)
  assert.ok(!it.lines.join().includes(it.kept.credential))
  assert.equal(it.credential.current, it.kept.credential)
  assert.equal((await readCredential(it.dataDir))?.credential, it.kept.credential)
})

test('a file that is damaged is not taken for none', async (context) => {
  const dataDir = await temporaryDirectory(context)
  const file = join(dataDir, 'credential.json')
  for (const damaged of ['', '{', '{}', '{"gatewayId":"one","credential":"gw_live_x"}']) {
    await writeFile(file, damaged)
    await assert.rejects(readCredential(dataDir), /credential\.json is damaged: .*enroll/)
  }
  assert.equal(await readFile(file, 'utf8').then((content) => content.length > 0), true)
})

test('why a credential does not hold is said with what to do', () => {
  const said = (refusal: string, status = 401) => describeAnswer({ status, refusal })
  assert.match(said('superseded'), /restored from an older copy.*sallyport gateway enroll/)
  assert.match(said('ended'), /has ended.*sallyport gateway enroll/)
  assert.match(said('revoked'), /was revoked/)
  for (const other of ['', 'unknown', 'constructor']) assert.match(said(other), /does not know/)
  assert.match(said('', 403), /a credential of its own, which it does not show/)
  assert.equal(said('', 503), 'answered 503')
})
