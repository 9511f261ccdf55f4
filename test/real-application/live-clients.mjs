/** The clients of live-server.mjs. Each takes the address of the server and headers for its requests, and resolves to what it saw. */
import { createHash } from 'node:crypto'
import { createClient } from 'graphql-ws'
import { io } from 'socket.io-client'
import { Upload } from 'tus-js-client'
import { WebSocket } from 'ws'

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')
const UPLOAD = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256))
const CHUNK_BYTES = 512 * 1024

/** By long polling alone, by WebSocket alone, and by the one that becomes the other. */
export async function useRooms(base, headers) {
  const seen = []
  for (const transports of [['polling'], ['websocket'], ['polling', 'websocket']]) {
    const open = () => io(base, { path: '/rooms', transports, extraHeaders: headers, forceNew: true })
    const [speaker, listener] = [open(), open()]
    const isUpgraded =
      transports.length === 1 ||
      new Promise((resolve) => speaker.io.engine.once('upgrade', () => resolve(true)))
    const echoes = []
    for (const value of ['text', { deep: ['ä', 1] }, Buffer.alloc(100_000, 5)])
      echoes.push(await speaker.emitWithAck('echo', value))
    await listener.emitWithAck('join', 'lobby')
    const heard = new Promise((resolve) => listener.once('said', resolve))
    speaker.emit('say', 'lobby', 'good morning')
    seen.push({
      transports,
      echoes: echoes.map((echo) => (Buffer.isBuffer(echo) ? digest(echo) : echo)),
      heard: await heard,
      isUpgraded: await isUpgraded,
    })
    speaker.close()
    listener.close()
  }
  return seen
}

/** A query, a subscription to its end, one that is left half-way, and one that is wrong. */
export async function useSubscriptions(base, headers) {
  class WithHeaders extends WebSocket {
    constructor(address, protocols) {
      super(address, protocols, { headers })
    }
  }
  const client = createClient({
    url: `${base.replace('http', 'ws')}/graphql`,
    webSocketImpl: WithHeaders,
    retryAttempts: 0,
  })
  const all = async (query, most = Number.POSITIVE_INFINITY) => {
    const answers = []
    for await (const answer of client.iterate({ query })) {
      answers.push(JSON.stringify(answer))
      if (answers.length >= most) break
    }
    return answers
  }
  const seen = {
    query: await all('{ hello(name: "Ada") }'),
    whole: await all('subscription { countdown(from: 5) }'),
    left: await all('subscription { countdown(from: 100000) }', 3),
    wrong: await all('subscription { nothing }').catch((errors) => errors.map(({ message }) => message)),
  }
  await client.dispose()
  return seen
}

/** An upload in chunks that is broken off after the second one and taken up again where the server says. */
export async function useUploads(base, headers) {
  const offsets = []
  let address = ''
  const send = (until) =>
    new Promise((resolve, reject) => {
      const upload = new Upload(UPLOAD, {
        endpoint: `${base}/uploads`,
        ...(address ? { uploadUrl: address } : {}),
        headers,
        chunkSize: CHUNK_BYTES,
        metadata: { filename: 'report.pdf' },
        retryDelays: null,
        onError: reject,
        onSuccess: resolve,
        onChunkComplete: (_size, accepted) => {
          offsets.push(accepted)
          address = upload.url
          if (accepted >= until) upload.abort().then(resolve, reject)
        },
      })
      upload.start()
    })
  await send(2 * CHUNK_BYTES)
  await send(Number.POSITIVE_INFINITY)
  const stored = await fetch(`${base}/stored/${address.split('/').at(-1)}`, { headers })
  return {
    offsets,
    isOwnAddress: address.startsWith(`${base}/uploads/`),
    isWhole: digest(Buffer.from(await stored.arrayBuffer())) === digest(UPLOAD),
  }
}

/** Parts of a file, as players and download managers ask for them. */
export async function useRanges(base, headers) {
  const film = `${base}/films/film.mp4`
  const etag = (await fetch(film, { headers, method: 'HEAD' })).headers.get('etag')
  const asked = [
    {},
    { range: 'bytes=0-0' },
    { range: 'bytes=1000-99999' },
    { range: 'bytes=-500' },
    { range: 'bytes=999000-' },
    { range: 'bytes=0-9,100-109' },
    { range: 'bytes=2000000-' },
    { range: 'bytes=0-99', 'if-range': etag },
    { range: 'bytes=0-99', 'if-range': '"another"' },
    { 'if-none-match': etag },
  ]
  const seen = []
  for (const method of ['GET', 'HEAD'])
    for (const fields of asked) {
      const answer = await fetch(film, { method, headers: { ...headers, ...fields } })
      const named = ['content-range', 'content-length', 'content-type', 'accept-ranges', 'etag']
      seen.push([
        answer.status,
        ...named.map((name) => answer.headers.get(name)?.replace(/boundary=\S+|^W\//, '')),
        digest(Buffer.from(await answer.arrayBuffer())),
      ])
    }
  return seen
}
