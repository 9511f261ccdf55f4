/** Gateways that all start over at once, each over a slow line. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, test } from 'node:test'
import { FEED_PATH } from '@sallyport/contract'
import { GATEWAY_TOKEN, startTestControl } from '../support/control.ts'

const control = await startTestControl()
after(() => control.close())

test('gateways that take their snapshots slowly leave the API what it needs of the database', async () => {
  const { orgId, keys } = await control.createOrganization('large')
  // More than what sockets hold by themselves.
  await control.database.write(orgId, (tx) =>
    tx.query(
      `INSERT INTO sites (id, org_id, origin_name, origin_scheme, origin_host, origin_port, gated_name, is_enabled,
         starts_at, stops_at, instructions, created_by)
       SELECT gen_random_uuid(), $1, 'o', 'https', 'o', 443, 'site-' || n || '.gate.localhost', true, now(),
         now() + interval '1 day', repeat('x', 10000), 't' FROM generate_series(1, 1500) n`,
      [orgId],
    ),
  )
  const headers = { authorization: `Bearer ${GATEWAY_TOKEN}` }
  const gateways = Array.from({ length: 16 }, () =>
    request(new URL(FEED_PATH, control.url), { headers, agent: false }).on('error', () => {}),
  )
  let begun = 0
  const begin = Promise.withResolvers<void>()
  for (const gateway of gateways) {
    gateway.end()
    gateway.once('response', async (response: IncomingMessage) => {
      await once(response, 'readable')
      begun += 1
      if (begun === 12) begin.resolve()
    })
  }
  await begin.promise
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => control.call('GET', '/api/Organization', { key: keys.viewer })),
  )
  for (const gateway of gateways) gateway.destroy()
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  )
})
