/** What the record says of the route of a request, where the site's API is known. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { compileSiteRoutes } from '../../../src/snapshot/sites/site-routes.ts'
import { HOST, KEY, sendRaw, site, startTestDataPlane } from '../../support/test-data-plane.ts'

const ask = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\nSallyport-Key: ${KEY}\r\nConnection: close\r\n\r\n`

test('the template of a path is the route of its record, and what it was where there is none', async (context) => {
  const plane = await startTestDataPlane(context, 1)
  const routeOf = async (target: string): Promise<string | undefined> => {
    const before = plane.recorder.events.length
    await sendRaw(plane.port, ask(target))
    return (await plane.recorder.waitFor(before + 1))[before]?.route
  }
  assert.equal(await routeOf('/people/ann/orders'), '/people/ann/orders')
  assert.equal(await routeOf('/orders/17'), '/orders/{id}')
  plane.snapshots.putSite(site(1, { routes: ['/people/{personId}/orders', '/orders/{orderId}'] }))
  assert.equal(await routeOf('/people/ann/orders?page=2'), '/people/{personId}/orders')
  assert.equal(await routeOf('/people/%61nn/x/../orders'), '/people/{personId}/orders')
  assert.equal(await routeOf('/orders/17'), '/orders/{orderId}')
  assert.equal(await routeOf('/invoices/17'), '/invoices/{id}')
  assert.equal(await routeOf(`/orders/${'a'.repeat(2_100)}`), '/orders/{long}', 'a path that was cut')
  plane.snapshots.putSite(site(1))
  assert.equal(await routeOf('/orders/17'), '/orders/{id}', 'gone with the template')
})

test('many templates are added in steps, and hold once all are there', async () => {
  const templateOf = compileSiteRoutes([
    ...Array.from({ length: 3_000 }, (_, index) => `/p${index}/{id}`),
    '/p7/me',
  ])
  assert.equal(templateOf('/p7/me'), undefined)
  while (templateOf('/p7/me') === undefined) await nextTurn()
  assert.equal(templateOf('/p7/me'), '/p7/me')
  assert.equal(templateOf('/p2999/x'), '/p2999/{id}')
})
