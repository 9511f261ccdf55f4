import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { after, before, beforeEach, describe, test } from 'node:test'
import { exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose'
import { type LoopbackServer, listenOnLoopback } from '../../../../../test/support/loopback.ts'
import { discoverIssuerKeys } from '../../../src/identity/issuer/issuer-discovery.ts'
import { createIssuerKeys, type GetKey } from '../../../src/identity/issuer/issuer-keys.ts'

const token = { payload: '', signature: '' }
const header = (kid: string) => ({ alg: 'ES256', kid })

async function keySet(...kids: string[]): Promise<JSONWebKeySet> {
  const keys = await Promise.all(
    kids.map(async (kid) => ({ ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), kid })),
  )
  return { keys }
}

describe('the cache', () => {
  let published: JSONWebKeySet
  let reachable: boolean
  let fetches: number
  let clock: number
  let getKey: GetKey

  beforeEach(async () => {
    published = await keySet('one')
    reachable = true
    fetches = 0
    clock = 0
    getKey = createIssuerKeys({
      load: async () => {
        fetches++
        if (!reachable) throw new Error('refused')
        return published
      },
      fetchesMax: 3,
      refillMs: 10_000,
      ageMaxMs: 60_000,
      staleMaxMs: 600_000,
      now: () => clock,
    })
  })

  test('is filled once, also by requests that come together', async () => {
    await Promise.all(Array.from({ length: 50 }, () => getKey(header('one'), token)))
    await getKey(header('one'), token)
    assert.equal(fetches, 1)
  })

  test('picks up a rotated key at once', async () => {
    await getKey(header('one'), token)
    published = await keySet('one', 'two')
    await getKey(header('two'), token)
    assert.equal(fetches, 2)
  })

  test('a flood of invented key ids costs the issuer a bounded number of fetches', async () => {
    for (let index = 0; index < 500; index++) await assert.rejects(getKey(header(`invented-${index}`), token))
    assert.equal(fetches, 3)
    await getKey(header('one'), token)
    clock += 10_000
    for (let index = 0; index < 500; index++) await assert.rejects(getKey(header(`more-${index}`), token))
    assert.equal(fetches, 4)
  })

  test('forgets a withdrawn key', async () => {
    await getKey(header('one'), token)
    published = await keySet('two')
    clock += 60_001
    await assert.rejects(getKey(header('one'), token), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
  })

  test('outlives an issuer that is away, but not for ever', async () => {
    await getKey(header('one'), token)
    reachable = false
    clock += 60_001
    await getKey(header('one'), token)
    clock += 600_000
    await assert.rejects(getKey(header('one'), token), { code: 'unavailable' })
    reachable = true
    clock += 10_000
    await getKey(header('one'), token)
  })

  test('says so when it never had a key', async () => {
    reachable = false
    await assert.rejects(getKey(header('one'), token), { code: 'unavailable' })
  })
})

describe('discovery', () => {
  let server: LoopbackServer
  let issuer: string
  let answer: (path: string) => { status?: number; body: string }

  before(async () => {
    const listener: RequestListener = (request, response) => {
      const { status = 200, body } = answer(request.url ?? '')
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    }
    server = await listenOnLoopback(createServer(listener))
    issuer = `${server.url}/tenant`
  })
  after(() => server.close())

  const answering = (metadata: object, keys: string) => (path: string) =>
    path === '/tenant/.well-known/openid-configuration'
      ? { body: JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks`, ...metadata }) }
      : { body: keys }

  test('finds the keys by way of the discovery document', async () => {
    const keys = await keySet('one')
    answer = answering({}, JSON.stringify(keys))
    assert.deepEqual(await discoverIssuerKeys(issuer), keys)
  })

  test('refuses a document of another issuer', async () => {
    answer = answering({ issuer: 'https://issuer.example' }, '{"keys":[]}')
    await assert.rejects(discoverIssuerKeys(issuer), /another issuer/)
  })

  test('refuses keys over plain http from an https issuer', async () => {
    const get: typeof fetch = async () =>
      Response.json({ issuer: 'https://issuer.example', jwks_uri: 'http://issuer.example/jwks' })
    await assert.rejects(discoverIssuerKeys('https://issuer.example', get), /not served over https/)
  })

  test('refuses errors, other documents and endless answers', async () => {
    answer = () => ({ status: 500, body: '{}' })
    await assert.rejects(discoverIssuerKeys(issuer), /answered 500/)
    for (const keys of ['{}', '[]', 'no json', '{"keys":[1]}', `{"keys":[],"x":"${'x'.repeat(600_000)}"}`]) {
      answer = answering({}, keys)
      await assert.rejects(discoverIssuerKeys(issuer))
    }
  })
})
