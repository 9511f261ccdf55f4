/** What a record owes to its site is done once a stranger is answered: done before, it would take time under a name that some site has alone. */
import assert from 'node:assert/strict'
import { createHmac, type Hmac } from 'node:crypto'
import { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { RouteTree } from '@sallyport/policy'
import { compileSite } from '../../src/snapshot/sites/compile-site.ts'
import type { CompiledSite } from '../../src/snapshot/snapshot.ts'
import { HOST, sendRaw, site, startTestDataPlane, type TestDataPlane } from '../support/test-data-plane.ts'

const NOBODYS = 'nobody.gate.localhost'

/** Notes when answers go out, in order with what the caller notes. */
function noteAnswers(context: TestContext, steps: string[]): void {
  const { write } = Socket.prototype
  context.mock.method(
    Socket.prototype,
    'write',
    function noted(this: Socket, ...given: Parameters<Socket['write']>) {
      if (String(given[0]).startsWith('HTTP/1.1 ')) steps.push('answer')
      return Reflect.apply(write, this, given)
    },
  )
}

/** Has the site note when the template of a path, and what it does not want kept, are asked for. */
function noteSiteWork({ snapshots }: TestDataPlane, steps: string[]): void {
  const real = snapshots.current.siteByHost(HOST)
  assert.ok(real)
  const config = {
    ...real.config,
    get redaction() {
      steps.push('redaction')
      return { queryValues: 'mask', clientAddress: 'keep', userAgent: 'keep' } as const
    },
  }
  const templateOf = (): string => {
    steps.push('template')
    return '/orders/{id}'
  }
  const noted: CompiledSite = { ...real, config, templateOf }
  Object.assign(snapshots.current, { siteByHost: (host: string) => (host === HOST ? noted : undefined) })
}

for (const [what, line] of [
  ['that is refused', 'GET /orders/1?a=b HTTP/1.1'],
  ['that cannot be read', 'GET  /orders/1?a=b HTTP/1.1'],
  ['that says two lengths', 'GET /orders/1?a=b HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 1'],
])
  test(`a request of a stranger ${what} is answered before its record is made`, async (context) => {
    const plane = await startTestDataPlane(context, 1)
    const steps: string[] = []
    noteSiteWork(plane, steps)
    noteAnswers(context, steps)
    await sendRaw(plane.port, `${line}\r\nHost: ${HOST}\r\n\r\n`)
    const [event] = await plane.recorder.waitFor(1)
    assert.deepEqual(steps, ['answer', 'template', 'redaction'])
    assert.deepEqual(
      [event?.route, event?.target, event?.siteId],
      ['/orders/{id}', '/orders/1?a=***', 'site-1'],
    )
  })

test('the templates of a site are no work before its first path is in a record', (context) => {
  const add = context.mock.method(RouteTree.prototype, 'add')
  const { templateOf } = compileSite(site(1, { routes: ['/orders/{id}'] }))
  assert.equal(add.mock.callCount(), 0)
  assert.equal(templateOf('/orders/7'), '/orders/{id}')
  assert.equal(templateOf('/orders/8'), '/orders/{id}')
  assert.equal(add.mock.callCount(), 1)
})

test('a code is tried by as many keys under a name that no site has', async (context) => {
  const plane = await startTestDataPlane(context, 1)
  const organization = {
    id: 'org',
    name: 'Org',
    open: true,
    sessionKey: Buffer.alloc(32, 9).toString('base64url'),
  }
  plane.snapshots.apply({ type: 'put', kind: 'organization', id: 'org', value: organization })
  const prototype: Hmac = Object.getPrototypeOf(createHmac('sha256', ''))
  const update = context.mock.method(prototype, 'update')
  const triesUnder = async (host: string): Promise<number> => {
    const before = update.mock.callCount()
    const { status } = await sendRaw(
      plane.port,
      `GET /.sallyport/enter?code=${'a.'.repeat(1_000)}b HTTP/1.1\r\nHost: ${host}\r\nAccept: text/html\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n`,
    )
    assert.equal(status, 403)
    const tried = update.mock.calls
      .slice(before)
      .filter(({ arguments: [text] }) => /^sign-in code\n/.test(String(text)))
    return tried.length
  }
  assert.equal(await triesUnder(HOST), 2)
  assert.equal(await triesUnder(NOBODYS), 2)
})
