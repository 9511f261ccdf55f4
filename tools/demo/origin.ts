/**
 * A small web shop with the usual mistakes, to put behind the gate: it reflects a search term unescaped, tells SQL errors,
 * serves any order to anybody, follows any redirect and reads "files" by name. Its files and its database are a few
 * constants, so that nothing of the machine can be reached through it. It listens on loopback only.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const PRODUCTS = ['Lantern', 'Rope, 20 m', 'Brass lock', 'Whistle', 'Signal flag', 'Oilskin'].map(
  (name, index) => ({ id: index + 1, name, price: 5 + index * 3.5 }),
)
const ORDERS = [1001, 1002, 1003, 1004].map((id) => ({ id, customer: `customer-${id % 3}`, total: id / 20 }))
const FILES: Readonly<Record<string, string>> = {
  'terms.txt': 'Goods remain ours until paid for.\n',
  '../../etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nshop:x:1000:1000::/srv/shop:/bin/sh\n',
}

interface Reply {
  readonly status: number
  readonly type?: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}
type Page = (url: URL, parameter: string, body: string) => Reply | Promise<Reply>

const html = (body: string, status = 200): Reply => ({ status, type: 'text/html; charset=utf-8', body })
const json = (value: unknown, status = 200): Reply => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
})

const ROUTES: readonly (readonly [method: string, pattern: RegExp, page: Page])[] = [
  ['GET', /^\/$/, () => html('<h1>Harbour supplies</h1><a href="/products">Products</a>')],
  ['GET', /^\/products$/, () => json(PRODUCTS)],
  ['GET', /^\/products\/([^/]+)$/, (_url, id) => findProduct(id)],
  ['GET', /^\/search$/, (url) => html(`<p>Nothing found for ${url.searchParams.get('q') ?? ''}</p>`)],
  ['POST', /^\/login$/, (_url, _parameter, body) => signIn(body)],
  ['GET', /^\/api\/orders\/([^/]+)$/, (_url, id) => findOrder(id)],
  ['GET', /^\/files$/, (url) => readShopFile(url.searchParams.get('name') ?? '')],
  [
    'GET',
    /^\/go$/,
    (url) => ({ status: 302, body: '', headers: { location: url.searchParams.get('to') ?? '/' } }),
  ],
  ['GET', /^\/reports\/slow$/, async () => delay(400 + Math.random() * 600).then(() => json({ rows: 0 }))],
  ['GET', /^\/admin(\/.*)?$/, () => html('<h1>Back office</h1>')],
]

/** Starts the shop on a free port of loopback. */
export async function startDemoOrigin(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It listens on a port, not on a pipe, so it has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body = (body + chunk).slice(0, 4_096)
  const url = URL.parse(request.url ?? '/', 'http://shop')
  const reply = url ? await findPage(request.method ?? '', url, body) : html('<h1>What?</h1>', 400)
  response.writeHead(reply.status, { 'content-type': reply.type ?? 'text/plain', ...reply.headers })
  response.end(reply.body)
}

async function findPage(method: string, url: URL, body: string): Promise<Reply> {
  if (Math.random() < 0.004) return html('<h1>Out of memory in cart.cgi</h1>', 500)
  for (const [wanted, pattern, page] of ROUTES) {
    const match = pattern.exec(url.pathname)
    if (match && wanted === method) return page(url, match[1] ?? '', body)
  }
  return html('<h1>Not found</h1>', 404)
}

function findProduct(id: string): Reply {
  if (/['"]/.test(decodeURIComponent(id))) return html(`SQL error near "${id}"`, 500)
  const product = PRODUCTS.find((candidate) => String(candidate.id) === id)
  return product ? json(product) : json({ error: 'no such product' }, 404)
}

function findOrder(id: string): Reply {
  const order = ORDERS.find((candidate) => String(candidate.id) === id)
  return order ? json(order) : json({ error: 'no such order' }, 404)
}

function signIn(body: string): Reply {
  if (/('|%27)\s*(or|%20or)/i.test(body)) return json({ token: 'administrator' })
  return json({ error: 'wrong name or password' }, 401)
}

const readShopFile = (name: string): Reply =>
  FILES[name] === undefined ? html('no such file', 404) : { status: 200, body: FILES[name] }
