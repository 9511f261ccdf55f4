/**
 * One server of what keeps a connection open or speaks in parts, each by the library that its applications use: rooms over Socket.IO,
 * subscriptions over graphql-ws, uploads that are resumed (tus), ranges of a file, and server-sent events that end and are taken up again.
 */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileStore } from '@tus/file-store'
import { Server as TusServer } from '@tus/server'
import express from 'express'
import { buildSchema } from 'graphql'
import { useServer } from 'graphql-ws/use/ws'
import { Server as SocketServer } from 'socket.io'
import { WebSocketServer } from 'ws'

const SCHEMA = buildSchema(`
  type Query { hello(name: String!): String! }
  type Subscription { countdown(from: Int!): Int! }
`)
const ROOTS = {
  query: { hello: ({ name }) => `hello ${name}` },
  subscription: {
    countdown: async function* ({ from }) {
      for (let left = from; left >= 0; left -= 1) yield { countdown: left }
    },
  },
}
const EVENTS_A_CONNECTION = 3
const FILM_BYTES = 1_000_000

/** Starts it on a port of loopback; resolves to `{ port, close }`. */
export async function startLiveServer() {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-live-'))
  for (const name of ['uploads', 'films']) mkdirSync(join(folder, name))
  const film = join(folder, 'films/film.mp4')
  writeFileSync(film, Buffer.from(Array.from({ length: FILM_BYTES }, (_, index) => index % 251)))
  // Its ETag is made of it.
  utimesSync(film, 0, 0)
  const app = express()
  // Its errors are answers here, not news.
  app.set('env', 'test')
  const uploads = new TusServer({
    path: '/uploads',
    datastore: new FileStore({ directory: join(folder, 'uploads') }),
  })
  app.use('/uploads', (request, response) => uploads.handle(request, response))
  app.use('/stored', express.static(join(folder, 'uploads')))
  app.use('/films', express.static(join(folder, 'films'), { lastModified: false, etag: true }))
  app.get('/events', sendEvents)
  app.get('/', (_request, response) => response.type('html').send('<!doctype html><title>Live</title>'))
  const server = createServer(app)

  const sockets = new SocketServer(server, { path: '/rooms' })
  sockets.on('connection', (socket) => {
    socket.on('echo', (value, answer) => answer(value))
    socket.on('join', async (room, answer) => {
      await socket.join(room)
      answer()
    })
    socket.on('say', (room, words) => sockets.to(room).emit('said', words))
  })
  const subscriptions = new WebSocketServer({ noServer: true })
  useServer({ schema: SCHEMA, roots: ROOTS }, subscriptions)
  server.on('upgrade', (request, socket, head) => {
    if (request.url !== '/graphql') return
    subscriptions.handleUpgrade(request, socket, head, (one) =>
      subscriptions.emit('connection', one, request),
    )
  })

  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: server.address().port,
    close: async () => {
      for (const one of subscriptions.clients) one.terminate()
      const closed = sockets.close()
      server.closeAllConnections()
      await closed
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Numbers from the one after `Last-Event-ID` on; each connection ends after a few. */
function sendEvents(request, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write('retry: 50\n\n')
  const first = Number(request.headers['last-event-id'] ?? 0) + 1
  for (let id = first; id < first + EVENTS_A_CONNECTION; id += 1)
    response.write(`id: ${id}\ndata: number ${id}\n\n`)
  response.end()
}
