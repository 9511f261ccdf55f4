/**
 * A mixed load at a steady rate: pages, uploads, streams, strangers without a key, and clients that break off.
 * Argument: JSON `{port}`. Told `{rate, seconds}` over its channel (a rate of 0 for as much as goes), it answers with a
 * `LoadReport`. Latency counts from when a request was due, so that a gateway that stalls cannot hide it.
 */
import { connect, type Socket } from 'node:net'
import { quantile } from '../statistics.ts'
import { HOST, KEY } from './control-stub.ts'

export interface LoadReport {
  readonly answered: number
  readonly brokenOff: number
  /** Answers by what they were, for example `200` or `502 origin_refused`. */
  readonly answers: Readonly<Record<string, number>>
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
}

const { port } = JSON.parse(process.argv[2] ?? '{}')
const CONNECTIONS = 32
/** A machine that was busy with other things for longer need not be caught up with: the rate goes on from then. */
const BEHIND_MAX_MS = 500
const UPLOAD = 'y'.repeat(10_000)
const head = (line: string, ...fields: string[]): string =>
  [`${line} HTTP/1.1`, `Host: ${HOST}`, ...fields, '', ''].join('\r\n')
const key = `Sallyport-Key: ${KEY}`
const PAGE = head('GET /page', key)
const POST = head('POST /upload', key, `Content-Length: ${UPLOAD.length}`) + UPLOAD
/** Of every twenty requests. */
const MIX = [
  ...new Array<string>(14).fill(PAGE),
  ...[POST, POST, head('GET /stream', key), head('GET /stream', key), head('GET /page'), 'broken off'],
]
const BROKEN_OFF = head('GET /never', key)

/** One connection, one request at a time. */
class Client {
  #socket = this.#connect()
  #text = ''
  #done: ((status: string) => void) | undefined

  ask(request: string): Promise<string> {
    if (this.#socket.destroyed) this.#socket = this.#connect()
    this.#text = ''
    return new Promise((resolve) => {
      this.#done = resolve
      this.#socket.write(request)
    })
  }

  end(): void {
    this.#socket.destroy()
  }

  #connect(): Socket {
    const socket = connect(port, '127.0.0.1').setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      this.#text += chunk
      if (isWhole(this.#text)) this.#answer(describe(this.#text))
    })
    socket.on('error', () => {})
    socket.on('close', () => this.#answer(this.#text === '' ? 'closed' : 'cut off'))
    return socket
  }

  #answer(status: string): void {
    const done = this.#done
    this.#done = undefined
    done?.(status)
  }
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= end + 4 + Number(length)
}

function describe(text: string): string {
  const status = text.slice(9, 12)
  return status < '500' ? status : `${status} ${/"reason":"(\w+)"/.exec(text)?.[1] ?? 'of the origin'}`
}

async function run(rate: number, seconds: number): Promise<LoadReport> {
  const clients = Array.from({ length: CONNECTIONS }, () => new Client())
  const times: number[] = []
  const answers: Record<string, number> = {}
  const from = performance.now()
  let behindMs = 0
  let sent = 0
  let brokenOff = 0
  const work = async (client: Client): Promise<void> => {
    for (;;) {
      const number = sent++
      const now = performance.now()
      let due = rate === 0 ? now : from + behindMs + (number / rate) * 1_000
      if (now - due > BEHIND_MAX_MS) {
        behindMs += now - due
        due = now
      }
      if (due >= from + seconds * 1_000) return
      const early = due - now
      if (early > 1) await new Promise((resolve) => setTimeout(resolve, early))
      const request = MIX[number % MIX.length] ?? PAGE
      if (request === 'broken off') {
        brokenOff += 1
        await breakOff()
        continue
      }
      const status = await client.ask(request)
      answers[status] = (answers[status] ?? 0) + 1
      times.push(performance.now() - due)
    }
  }
  await Promise.all(clients.map(work))
  for (const client of clients) client.end()
  return {
    answered: times.length,
    brokenOff,
    answers,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    longestMs: times.reduce((longest, time) => Math.max(longest, time), 0),
  }
}

async function breakOff(): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(BROKEN_OFF)
  await new Promise((resolve) => setTimeout(resolve, 10))
  socket.destroy()
}

process.on('message', ({ rate, seconds }: { rate: number; seconds: number }) => {
  void run(rate, seconds).then((report) => process.send?.(report))
})
process.on('disconnect', () => process.exit())
process.stdout.write(`${JSON.stringify({ port })}\n`)
