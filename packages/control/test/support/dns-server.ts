/** A name server on loopback that knows TXT records, and whom this process then asks for them. */
import { createSocket } from 'node:dgram'
import dns from 'node:dns'
import { once } from 'node:events'

export interface TestDnsServer {
  /** Texts by lower-case name; what is set here is answered at once. */
  readonly records: Map<string, readonly string[]>
  /** Names that were asked for. */
  readonly asked: string[]
  close(): Promise<void>
}

const HEAD_BYTES = 12
const TXT = 16

/** Starts it, and makes it the one that this process asks (not for addresses: those the system resolves). */
export async function startDnsServer(): Promise<TestDnsServer> {
  const records = new Map<string, readonly string[]>()
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query)
    asked.push(name)
    const texts = type === TXT ? (records.get(name) ?? []) : []
    socket.send(answerOf(query, end, texts), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const before = dns.getServers()
  dns.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    records,
    asked,
    close: async () => {
      dns.setServers(before)
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** The first question (RFC 1035, section 4.1.2). */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = HEAD_BYTES
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function answerOf(query: Buffer, end: number, texts: readonly string[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  query.copy(head, 0, 0, 2)
  // An answer, recursion available; no such name where there is no record.
  head.writeUInt16BE(texts.length > 0 ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(texts.length, 6)
  return Buffer.concat([head, query.subarray(HEAD_BYTES, end), ...texts.map(recordOf)])
}

/** A TXT record for the name of the question, in pieces of 40 bytes. */
function recordOf(text: string): Buffer {
  const pieces = (text.match(/.{1,40}/gs) ?? ['']).map((piece) =>
    Buffer.concat([Buffer.from([Buffer.byteLength(piece)]), Buffer.from(piece)]),
  )
  const data = Buffer.concat(pieces)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(TXT, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
