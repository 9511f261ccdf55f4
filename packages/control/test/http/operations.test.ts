/** What every operation must do, for every operation of the contract: nobody adds one that escapes. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { BODY_BYTES_MAX, OPERATIONS, roleAllows } from '@sallyport/contract'
import { z } from 'zod'
import { newId } from '../../src/database/database.ts'
import { startTestControl, type TestAnswer } from '../support/control.ts'
import {
  createFixture,
  exampleRequest,
  type Fixture,
  pathOf,
  roleBelow,
  unknownIds,
} from '../support/fixtures.ts'
import { tokenSigner } from '../support/tokens.ts'

const control = await startTestControl()
after(() => control.close())
const shared = await createFixture(control, 'shared')
const other = await createFixture(control, 'other')

const revoked = await endedKey('revoked_at = now()')
const expired = await endedKey(`expires_at = now() - interval '1 second'`)

const sign = await tokenSigner(control, { id: shared.ids.memberId ?? '', orgId: shared.orgId })
const past = Math.floor(Date.now() / 1000) - 3_600
/** Each is good but for one thing. Made for each test, since a good one ends while a slow machine is at it. */
async function makeBadTokens(): Promise<string[]> {
  const good = await sign()
  return [
    await sign({ exp: past + 60, iat: past }),
    await sign({ nbf: past + 7_200 }),
    await sign({ aud: 'https://other.example' }),
    await sign({ iss: 'https://other.example' }),
    await sign({ sub: newId() }),
    await sign({ org_id: other.orgId }),
    `${good.slice(0, -8)}AAAAAAA${good.at(-1)}`,
    good.replace(/\.[^.]+\./, `.${Buffer.from('{"sub":"x","exp":9999999999}').toString('base64url')}.`),
  ]
}

test('the token that the others are made of is good', async () => {
  assert.equal((await control.call('GET', '/api/Account/currentUser', { key: await sign() })).status, 200)
})

/** A key of the shared organization that was good once. */
async function endedKey(ending: string): Promise<string> {
  const { json } = await control.call('POST', '/api/ApiKeys', {
    key: shared.keys.owner,
    body: { name: 'ended' },
  })
  await control.database.write(shared.orgId, (tx) =>
    tx.query(`UPDATE api_keys SET ${ending} WHERE id = $1`, [json.id]),
  )
  return json.key
}

/** Operations that cannot succeed with an API key on a fixture, with the reason. Their success is tested elsewhere. */
const NEEDS_MORE: Readonly<Record<string, string>> = {
  accountChangePassword: 'a password is changed by the person who signed in with it',
  gatewaysForget: 'a gateway belongs to no organization, and has to be gone',
  gatewaysEnroll: 'an organization does it only where it is the only one',
  sitesRemoveHacker: 'nobody is on the list of the fixture',
  gatewaysRevoke: 'an organization does it only where it is the only one',
}
/** GETs that change something, as the interface has them. */
const CHANGING_GETS = new Set(['sitesDisable', 'sitesEnableByGet'])
/** Operations that answer without an end. */
const ENDLESS = new Set(['analyticsTail'])

/** An error without what names this one request. */
function anonymous({ status, headers, json }: TestAnswer): unknown {
  const { requestId, instance, ...problem } = json
  assert.equal(instance, `urn:uuid:${requestId}`)
  assert.equal(headers.get('x-request-id'), requestId)
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/)
  return {
    status,
    authenticate: headers.get('www-authenticate'),
    length: headers.get('content-length'),
    problem,
  }
}

/** An answer without the window that it is about, which ends now. */
const withoutTimes = (text: string): string => text.replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '')

/** A body in which every field is of a wrong type, with the pointers of the fields. */
function wrongBody(schema: z.ZodType): { body: Record<string, unknown>; pointers: string[] } {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' }) as { properties?: Record<string, Json> }
  const names = Object.keys(properties)
  const body = Object.fromEntries(names.map((name) => [name, wrongValue(properties[name] ?? {})]))
  return { body, pointers: names.map((name) => `/${name}`) }
}

interface Json {
  readonly type?: string
  readonly anyOf?: readonly Json[]
}
const wrongValue = (schema: Json): unknown =>
  schema.type === 'object' || schema.anyOf?.some((one) => one.type === 'object') ? 7 : { wrong: true }

for (const operation of OPERATIONS)
  describe(`${operation.method} ${operation.path}`, () => {
    const { method, path, body, query, versioned } = operation
    const call = (options: Parameters<typeof control.call>[2] = {}) =>
      control.call(method, pathOf(operation, shared.ids), options)
    const owner = shared.keys.owner
    const isChange = method !== 'GET' || CHANGING_GETS.has(operation.id)

    test('succeeds as its example, with an answer of its schema and nothing more', async () => {
      if (operation.id in NEEDS_MORE || ENDLESS.has(operation.id)) return
      const own = isChange ? await createFixture(control, operation.id, operation) : shared
      const { path: filled, options } = exampleRequest(operation, own.ids, own.keys.owner)
      const answer = await control.call(method, filled, options)
      assert.equal(answer.status, operation.status, answer.text)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      if (operation.status === 204) assert.equal(answer.text, '')
      else if (operation.format !== 'stream') {
        assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
        const content = operation.format === 'json-string' ? JSON.parse(answer.json) : answer.json
        assert.deepEqual(operation.response?.parse(content), content)
        if (versioned) assert.match(answer.headers.get('etag') ?? '', /^"\d+"$/)
      }
    })

    if (versioned && isChange && operation.status !== 201)
      test('is 412 for a version that the thing does not have', async () => {
        const own = await createFixture(control, `${operation.id} stale`, operation)
        const { path: filled, options } = exampleRequest(operation, own.ids, own.keys.owner)
        for (const stale of ['"999999"', 'W/"1"', '"elsewhere"']) {
          const answer = await control.call(method, filled, { ...options, headers: { 'if-match': stale } })
          assert.equal(answer.status, 412, answer.text)
        }
        const any = await control.call(method, filled, { ...options, headers: { 'if-match': '*' } })
        assert.equal(any.status, operation.status, any.text)
      })

    if (operation.idempotent)
      test('happens once under one Idempotency-Key, and is 409 when it is another request', async () => {
        if (operation.id in NEEDS_MORE) return
        const own = await createFixture(control, `${operation.id} twice`, operation)
        const { path: filled, options } = exampleRequest(operation, own.ids, own.keys.owner)
        const headers = { 'idempotency-key': 'the same' }
        const [first, second] = [
          await control.call(method, filled, { ...options, headers }),
          await control.call(method, filled, { ...options, headers }),
        ]
        assert.equal(first.status, operation.status, first.text)
        assert.deepEqual([second.status, second.text], [first.status, first.text])
        const body = { ...(options.body as object), name: 'another' }
        const other = await control.call(method, filled, { ...options, body, headers })
        assert.ok(other.status === 409 || other.status === 400, other.text)
      })

    test('matches its path in any letter case, identifiers and all', async () => {
      const capitals = pathOf(operation, shared.ids, {}).toUpperCase()
      assert.equal((await control.call(method, capitals)).json.code, 'unauthorized')
      if (isChange || ENDLESS.has(operation.id)) return
      const { path: asWritten, options } = exampleRequest(operation, shared.ids, owner)
      const [route = '', values] = asWritten.split('?', 2)
      const asked = [route.toUpperCase(), values].filter((part) => part !== undefined).join('?')
      assert.equal((await control.call(method, asked, options)).status, operation.status)
    })

    if (!isChange && operation.format !== 'stream')
      test('answers in the media type that is asked for', async () => {
        const { path: filled, options } = exampleRequest(operation, shared.ids, owner)
        const asked = (accept: string) => control.call(method, filled, { ...options, headers: { accept } })
        const plain = await asked('text/plain')
        assert.equal(plain.headers.get('content-type'), 'text/plain; charset=utf-8')
        assert.deepEqual(operation.response?.parse(plain.json), plain.json)
        const text = await asked('text/html, text/json;q=0.5')
        assert.equal(text.headers.get('content-type'), 'text/json; charset=utf-8')
        assert.equal((await asked('image/png')).json.code, 'not_acceptable')
      })

    test('is 401 without a token that is valid, whatever is wrong with it', async () => {
      const bearers = [
        undefined,
        `Bearer ${revoked}`,
        `Bearer ${expired}`,
        'Bearer',
        'Basic abc',
        `Bearer ${owner}x`,
        `bearer ${owner.slice(0, -1)}_`,
        'Bearer eyJhbGciOiJub25lIn0.e30.',
      ]
      const answers = await Promise.all(
        bearers.map((authorization) =>
          call({ headers: authorization === undefined ? {} : { authorization } }),
        ),
      )
      const first = answers[0] && anonymous(answers[0])
      for (const answer of answers) assert.deepEqual(anonymous(answer), first)
      assert.equal(answers[0]?.status, 401)
      assert.equal(answers[0]?.headers.get('www-authenticate'), 'Bearer')
    })

    test('is 401 for a token that is not good, and says so where it is only without an organization', async () => {
      const bearing = (token: string) => call({ key: token })
      const [refused, ...others] = (await Promise.all((await makeBadTokens()).map(bearing))).map(anonymous)
      for (const other of others) assert.deepEqual(other, refused)
      const without = await bearing(await sign({ org_id: undefined }))
      assert.equal(without.status, 401)
      assert.equal(without.json.detail, 'Missing organization context.')
      assert.equal(without.json.message, 'Missing organization context.')
      assert.equal(without.headers.get('www-authenticate'), 'Bearer')
      assert.equal((await call()).json.detail, 'Unauthorized.')
    })

    test('is 403 for a role that is too weak', async () => {
      const role = roleBelow(operation, roleAllows)
      if (!role) return
      const answer = await call({ key: shared.keys[role] })
      assert.equal(answer.status, 403)
      assert.equal(answer.json.code, 'forbidden')
    })

    if (body && (operation.consumes ?? 'json') === 'json') {
      test('is 400 with every bad field, and for what is not JSON', async () => {
        const wrong = wrongBody(body)
        const answer = await call({ key: owner, body: wrong.body })
        assert.equal(answer.status, 400, answer.text)
        const paths = answer.json.errors.map((error: { path: string }) => error.path)
        for (const pointer of wrong.pointers)
          assert.ok(
            paths.some((known: string) => known === pointer || known.startsWith(`${pointer}/`)),
            pointer,
          )
        assert.equal((await call({ key: owner, body: '{"a":' })).json.code, 'malformed_body')
        assert.equal((await call({ key: owner, body: '[1]' })).status, 400)
      })
    }

    if (body && operation.consumes !== 'form')
      test('is 413 for a body over the limit, and 415 for one that is not JSON', async () => {
        const large = `"${'x'.repeat(operation.bodyBytesMax ?? BODY_BYTES_MAX)}"`
        assert.equal((await call({ key: owner, body: large })).json.code, 'body_too_large')
        for (const type of [
          'text/html',
          'application/x-www-form-urlencoded',
          'application/jsonp',
          'text/plain',
        ]) {
          const answer = await call({ key: owner, body: '{}', headers: { 'content-type': type } })
          assert.equal(answer.status, 415, type)
        }
        for (const type of ['text/json', 'application/vnd.example+json; charset=utf-8']) {
          const answer = await call({ key: owner, body: '7', headers: { 'content-type': type } })
          assert.equal(answer.status, 400, type)
        }
      })

    if (query)
      test('is 400 for query parameters that are too long or of no known value', async () => {
        const { properties = {} } = z.toJSONSchema(query, { io: 'input' }) as {
          properties?: Record<string, Json>
        }
        for (const name of Object.keys(properties)) {
          const value = 'x'.repeat(3_000)
          const answer = await control.call(method, pathOf(operation, shared.ids, { [name]: value }), {
            key: owner,
          })
          assert.equal(answer.status, 400, name)
          assert.ok(
            answer.json.errors.some((error: { path: string }) => error.path.startsWith(`query/${name}`)),
            name,
          )
        }
      })

    test('answers for the things of another organization what it does for unknown ones', async () => {
      const asked = async (ids: Fixture['ids']) => {
        const request = exampleRequest(operation, { ...ids, orgId: shared.orgId }, owner)
        return control.call(method, request.path, request.options)
      }
      if (ENDLESS.has(operation.id)) return
      const isAboutOne = path.includes('{') || JSON.stringify(operation.examples.body ?? '').includes('-7')
      if (!isAboutOne) return
      const [foreign, unknown] = [await asked(other.ids), await asked(unknownIds(other.ids))]
      assert.equal(foreign.status, unknown.status)
      // What counts traffic answers, with none.
      if (foreign.status === 200) assert.equal(withoutTimes(foreign.text), withoutTimes(unknown.text))
      else assert.deepEqual(anonymous(foreign), anonymous(unknown))
      if (path.includes('{')) assert.equal(foreign.status, 404)
    })
  })
