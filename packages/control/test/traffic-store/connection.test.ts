/** What a server by URL is told of who asks. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { listenForTest } from '../../../../test/support/loopback.ts'
import { openTrafficStore } from '../../src/traffic-store/connection.ts'

test('a user and a password of any characters reach the server as they are', async (t) => {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(Buffer.from(String(request.headers.authorization).replace('Basic ', ''), 'base64').toString())
    response.end('{"one":1}\n')
  })
  const { port } = await listenForTest(t, server)
  const user = 'sally@port/é'
  const password = `p:@/?#[]%25%&=+ '"\\$\`!*(){}<>|~^;,.é☃`
  const [name, secret] = [user, password].map(encodeURIComponent)
  const store = await openTrafficStore({ url: `http://${name}:${secret}@127.0.0.1:${port}/traffic` })
  t.after(() => store.close())
  assert.deepEqual(await store.query('SELECT 1 AS one'), [{ one: 1 }])
  assert.deepEqual(seen, [`${user}:${password}`])
})
