/**
 * One of the npm proxies, as its documentation shows it. Argument: JSON `{name, folder, origin}`, `folder` being where the
 * packages are installed. Prints `{port}` when it listens.
 */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { name, folder, origin } = JSON.parse(process.argv[2])
const require = createRequire(join(folder, 'package.json'))
const say = (port) => process.stdout.write(`${JSON.stringify({ port })}\n`)

if (name === '@fastify/http-proxy') {
  const app = require('fastify')()
  await app.register(require('@fastify/http-proxy'), { upstream: origin })
  await app.listen({ port: 0, host: '127.0.0.1' })
  say(app.server.address().port)
} else if (name === 'fast-gateway') {
  const service = require('fast-gateway')({ routes: [{ prefix: '/', target: origin }] })
  const server = await service.start(0)
  say((server ?? service.getServer()).address().port)
} else {
  const { Agent } = await import('node:http')
  const proxy = require('http-proxy').createProxyServer({
    target: origin,
    agent: new Agent({ keepAlive: true }),
  })
  const server = createServer((request, response) => proxy.web(request, response))
  server.listen(0, '127.0.0.1', () => say(server.address().port))
}
