/** Requests at the edge of what the contract says: empty members, misspelt ones, fields sent twice, tokens at their end. */
import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { OPERATIONS } from '@sallyport/contract'
import { createOperator } from '../../src/operator/operator.ts'
import { startTestControl, type TestAnswer } from '../support/control.ts'
import { tokenSigner } from '../support/tokens.ts'

const control = await startTestControl()
after(() => control.close())
const { keys, orgId } = await control.createOrganization('shop')
const owner = { key: keys.owner }
const call = (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
  control.call(method, path, { ...owner, body })

test('a token ends at the second that it names', async () => {
  const operator = createOperator(control.database)
  const { organizationId } = await operator.createOrganization({ name: 'ends', email: 'ends@example.com' })
  const [account] = await operator.listAccounts(organizationId)
  assert.ok(account)
  const sign = await tokenSigner(control, { id: account.id, orgId: organizationId })
  const now = Math.floor(Date.now() / 1000)
  const statusOf = async (exp: number): Promise<number> => {
    const key = await sign({ iat: now - 300, exp })
    return (await control.call('GET', '/api/Account/currentUser', { key })).status
  }
  assert.equal(await statusOf(now + 60), 200)
  for (const late of [0, 1, 29]) assert.equal(await statusOf(now - late), 401, `${late} s after its end`)
})

test('the profile of a key that the operator made has the address of an owner', async () => {
  const operator = createOperator(control.database)
  const made = await operator.createOrganization({ name: 'operated', email: 'first@operated.example' })
  const { key } = await operator.createApiKey(made.organizationId, 'by command', 'admin')
  for (const path of ['currentUser', 'getProfileDetails', 'role'])
    assert.equal(
      (await control.call('GET', `/api/Account/${path}`, { key })).json.email,
      'first@operated.example',
      path,
    )
  const site = await control.call('POST', '/api/Sites', { key, body: { originName: 'operated.example' } })
  assert.equal(site.status, 201, site.text)
  const log = await control.call('GET', '/api/AuditLog?action=site.create', { key })
  assert.equal(log.json.items[0].actor.email, 'operator', 'what was done by it is the operator’s still')
})

describe('validateHacker takes an empty member for an absent one', () => {
  test('whichever it is', async () => {
    const site = (await call('POST', '/api/Sites', { originName: 'valid.example.com', isActive: true })).json
    const hacker = (await call('POST', '/api/Hackers', { email: 'in@example.com' })).json
    const check = async (body: object, query = ''): Promise<string> => {
      const answer = await call('GET', `/api/Sites/validateHacker${query}`, body)
      return answer.json.reason ?? answer.json.errors[0].path
    }
    const email = 'in@example.com'
    assert.equal(await check({ siteId: site.id, email, id: '' }), 'admitted_all')
    assert.equal(await check({ siteId: site.id, email: '', id: hacker.id }), 'admitted_all')
    assert.equal(
      await check({ siteId: '', email, id: '' }, `?siteId=${site.id}&id=${hacker.id}`),
      'admitted_all',
    )
    assert.equal(await check({ siteId: '', email, id: hacker.id }), '/siteId')
    assert.equal(await check({ siteId: site.id, email: '', id: '' }), '/email')
  })
})

test('an empty time zone is as one that is not there', async () => {
  for (const path of ['getTrafficTimeline', 'getTotalRequest', 'getWAFSummaryRulesTimeline', 'timeline'])
    assert.equal((await call('GET', `/api/Analytics/${path}?gte=&lte=&timeZone=`)).status, 200, path)
  assert.equal((await call('GET', '/api/Analytics/timeline?timeZone=Nowhere')).status, 400)
})

test('a misspelt member of a block rule is refused by its name', async () => {
  const { id } = (await call('POST', '/api/Sites', { originName: 'rules.example.com' })).json
  const set = (rules: object[]) =>
    call('POST', '/api/Sites/setBlockList', { id, blockList: JSON.stringify(rules) })
  const answer = await set([{ pathPrefix: '/a' }, { pathPrefix: '/b', method: ['GET'], exipres: 'x' }])
  assert.equal(answer.status, 400)
  assert.deepEqual(
    answer.json.errors.map(({ message }: { message: string }) => message),
    ['rule 1, method: is not a member of a rule', 'rule 1, exipres: is not a member of a rule'],
  )
  assert.equal((await set([{ pathPrefix: '/b', methods: ['GET'], note: 'n' }])).status, 200)
})

test('of two Authorization headers none is believed', async () => {
  const statusOf = (...authorization: string[]): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const url = new URL('/api/Organization', control.url)
      const headers = ['host', url.host, ...authorization.flatMap((value) => ['authorization', value])]
      const outgoing = request(url, { headers })
      outgoing.once('error', reject)
      outgoing.once('response', (incoming) => {
        incoming.resume()
        resolve(incoming.statusCode)
      })
      outgoing.end()
    })
  const good = `Bearer ${keys.owner}`
  assert.equal(await statusOf(good), 200)
  for (const pair of [
    [good, 'Bearer other'],
    ['Bearer other', good],
    [good, good],
    [good, ''],
  ])
    assert.equal(await statusOf(...pair), 401, pair.join(', '))
})

describe('every answer says that it is not to be kept, and which request it is of', () => {
  const answerTo = (target: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(control.url)
      const headers = { authorization: `Bearer ${keys.owner}` }
      const outgoing = request({ hostname, port, path: target, headers })
      outgoing.once('error', reject)
      outgoing.once('response', (incoming) => resolve(incoming.resume()))
      outgoing.end()
    })
  for (const [target, status] of [
    ['/%61pi/Account/currentUser', 200],
    ['http://elsewhere.example/api/Account/currentUser', 200],
    ['/api/Sites/%ff', 404],
    ['/%61pi/nothing', 404],
    ['//api/Account/currentUser', 404],
  ] as const)
    test(target, async () => {
      const { statusCode, headers } = await answerTo(target)
      assert.equal(statusCode, status)
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
    })

  test('bytes that are not HTTP', async () => {
    const { hostname, port } = new URL(control.url)
    const socket = connect(Number(port), hostname)
    socket.end('no such thing\r\n\r\n')
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
    assert.match(head, /^HTTP\/1\.1 400 /)
    assert.match(head, /^cache-control: no-store\r$/m)
    assert.match(head, new RegExp(`^x-request-id: ${JSON.parse(body).requestId}\r?$`, 'm'))
  })
})

describe('a media type without a body', () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }

  test('is nobody’s concern where none is asked for', async () => {
    const { id } = (await call('POST', '/api/Sites', { originName: 'typed.example.com' })).json
    for (const [method, path] of [
      ['GET', '/api/Organization'],
      ['POST', `/api/Sites/enable/${id}`],
      ['GET', `/api/Sites/disable/${id}`],
    ] as const) {
      const answer = await control.call(method, path, { ...owner, headers })
      assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
    }
  })

  test('with one is a 415, and so is a body that is compressed', async () => {
    const typed = await control.call('GET', '/api/Organization', { ...owner, headers, body: 'a=1' })
    assert.equal(typed.status, 415)
    const packed = await control.call('POST', '/api/Billing', {
      ...owner,
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
      body: '{}',
    })
    assert.equal(packed.status, 415, packed.text)
    assert.match(packed.json.detail, /compressed/)
    assert.equal(packed.headers.get('accept-encoding'), 'identity')
  })
})

test('a query parameter that may be repeated says what is wrong with it', async () => {
  const messageOf = async (path: string): Promise<string> => (await call('GET', path)).json.errors[0].message
  assert.match(await messageOf('/api/Analytics/getMostActiveUsers'), /expected string, received undefined/)
  assert.match(await messageOf(`/api/Sites/${orgId}?include=a`), /expected/)
  assert.match(await messageOf(`/api/Sites/${orgId}?include=health&include=a`), /expected/)
})

test('a moment that is ISO 8601 and out of bounds is told the bounds', async () => {
  for (const moment of ['1900-01-01', '9999-01-01', 'now%2B999999y']) {
    const { status, json } = await call('GET', `/api/Analytics/getTotalRequest?gte=${moment}`)
    assert.equal(status, 400)
    assert.match(json.errors[0].message, /1970 to 2199/, moment)
  }
})

test('a date-time that is not one is told how it is written, and nothing else', async () => {
  const errorsOf = async (launchDate: string): Promise<{ path: string; message: string }[]> =>
    (await call('POST', '/api/Projects', { launchDate })).json.errors
  for (const launchDate of ['', '2026-11-02', '2026-11-02T09:30:00', '2026-02-30T09:30:00Z']) {
    const errors = await errorsOf(launchDate)
    assert.deepEqual(
      errors.map(({ path }) => path),
      ['/launchDate'],
      launchDate,
    )
    assert.match(errors[0]?.message ?? '', /ISO 8601 .* offset/, launchDate)
  }
  assert.match((await errorsOf('0000-01-01T00:00:00Z'))[0]?.message ?? '', /years 1 to 9999/)
})

describe('Allow names no method that is answered with 404', () => {
  const paths = [...new Set(OPERATIONS.map(({ path }) => path))].filter((path) => !path.includes('{'))
  for (const path of paths)
    test(path, async () => {
      const { status, headers } = await call('PROPFIND', path)
      assert.equal(status, 405)
      const allowed = (headers.get('allow') ?? '').split(', ')
      assert.deepEqual(
        allowed.toSorted(),
        OPERATIONS.filter((one) => one.path.toLowerCase() === path.toLowerCase())
          .map(({ method }) => method)
          .toSorted(),
      )
    })

  test('and a thing that can be is still told how', async () => {
    const answer = await call('PROPFIND', `/api/sites/${orgId.toUpperCase()}`)
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.get('allow'), 'GET, PATCH, DELETE')
    assert.equal((await call('PROPFIND', '/api/sites/nothing')).status, 404)
  })
})

describe('the OpenAPI document', async () => {
  const { json: document } = await control.call('GET', '/swagger/v2/swagger.json')

  test('names the 409 and the 429 of changePassword, and the 429 of the live tail', () => {
    const { responses } = document.paths['/api/Account/changePassword'].post
    assert.ok(responses['409'] && responses['429'])
    assert.ok(document.paths['/api/Analytics/tail'].get.responses['429'])
  })

  test('says of every query parameter whether it must be there', () => {
    const isRequired = (path: string, name: string): boolean => {
      const { parameters } = document.paths[path].get
      return parameters.find((one: { name: string }) => one.name === name).required === true
    }
    assert.equal(isRequired('/api/Sites/{id}/document', 'name'), true)
    assert.equal(isRequired('/api/Sites/{id}/document', 'number'), false)
    assert.equal(isRequired('/api/Analytics/getMostActiveUsers', 'url'), true)
    assert.equal(isRequired('/api/Analytics/getTotalRequest', 'url'), false)
    for (const { id, method, path, query } of OPERATIONS)
      for (const [name, schema] of Object.entries(query?.shape ?? {})) {
        const { parameters } = document.paths[path][method.toLowerCase()]
        const described = parameters.find(
          (one: { in: string; name: string }) => one.in === 'query' && one.name === name,
        )
        assert.equal(described.required, !schema.safeParse(undefined).success, `${id} ${name}`)
      }
  })

  test('names what opening a site may be refused with', () => {
    for (const [method, path] of [
      ['post', '/api/Sites'],
      ['patch', '/api/Sites/{id}'],
      ['post', '/api/Sites/enable/{id}'],
      ['get', '/api/Sites/enable/{id}'],
      ['post', '/api/Sites/start'],
      ['post', '/api/Sites/stop'],
    ] as const) {
      const { responses } = document.paths[path][method]
      assert.ok(responses['409'] && responses['429'], `${method} ${path}`)
    }
    assert.ok(document.paths['/api/Sites/{id}/originProof'].post.responses['429'])
  })

  test('names If-Match and 412 where there is a version to compare, and nowhere else', () => {
    const namesIfMatch = (method: string, path: string): boolean => {
      const { parameters, responses } = document.paths[path][method]
      const isNamed = parameters.some((one: { name: string }) => one.name === 'If-Match')
      assert.equal(responses['412'] !== undefined, isNamed, `${method} ${path}`)
      return isNamed
    }
    assert.equal(namesIfMatch('get', '/api/Sites/disable/{id}'), true)
    assert.equal(namesIfMatch('get', '/api/Sites/enable/{id}'), true)
    assert.equal(namesIfMatch('patch', '/api/Sites/{id}'), true)
    assert.equal(namesIfMatch('get', '/api/Sites/{id}'), false)
    for (const { method, path, status } of OPERATIONS)
      if (status === 201) assert.equal(namesIfMatch(method.toLowerCase(), path), false, path)
  })

  test('asks for less than it answers, where defaults make members optional', () => {
    for (const [path, name] of [
      ['firewall', 'FirewallSettings'],
      ['record', 'RecordSettings'],
    ] as const) {
      const { put } = document.paths[`/api/Sites/{id}/${path}`]
      const { $ref } = put.requestBody.content['application/json'].schema
      assert.equal($ref, `#/components/schemas/${name}Input`)
      assert.equal(
        put.responses['200'].content['application/json'].schema.$ref,
        `#/components/schemas/${name}`,
      )
      const { [`${name}Input`]: asked, [name]: answered } = document.components.schemas
      assert.notDeepEqual(asked, answered)
    }
  })
})
