/**
 * What reading HTTP/1.1 costs: heads of requests as a browser sends them, as a scanner does (the same headers again), heads of
 * responses, and bodies in chunks. Beside each stands Node's own parser (llhttp) over the same bytes. Processor time, the median of
 * seven rounds, the sides in turns.
 */
import { createRequire } from 'node:module'
import { BodyReader, parseRequestHead, ResponseParser } from '@sallyport/http1'
import { IGNORED } from '../packages/http1/test/ignored-response.ts'

const HEADERS = [
  'Host: shop.gate.example',
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language: en-US,en;q=0.5',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Referer: https://shop.gate.example/products?page=2',
  'Connection: keep-alive',
  'Cookie: session=0123456789abcdef0123456789abcdef; theme=dark',
  'Sec-Fetch-Dest: document',
  'Sec-Fetch-Mode: navigate',
  'Sec-Fetch-Site: same-origin',
  'Priority: u=0, i',
]
const HEAD = (index: number): string => `GET /products/${index}?q=shoes HTTP/1.1\r\n${HEADERS.join('\r\n')}`
const RESPONSE_HEAD = (length: string): string =>
  `HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sun, 22 Nov 2026 12:00:00 GMT\r\nContent-Type: text/html\r\n${length}\r\nETag: "5f3c-60"\r\nCache-Control: no-cache\r\n\r\n`
const CHUNKS = (count: number, bytes: number): string =>
  `${`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(count)}0\r\n\r\n`

const { HTTPParser } = createRequire(import.meta.url)('node:_http_common')
function readByNode(kind: 'REQUEST' | 'RESPONSE', bytes: Buffer): void {
  const parser = new HTTPParser()
  parser.initialize(HTTPParser[kind], {}, 1_000_000, 0)
  parser[HTTPParser.kOnHeadersComplete] = () => 0
  parser[HTTPParser.kOnBody] = () => {}
  const read = parser.execute(bytes)
  if (read instanceof Error) throw read
  parser.close()
}

const blockOf = (rawHeaders: readonly string[], text: string) => ({ rawHeaders, text })
const SMALL = Buffer.from(`${RESPONSE_HEAD('Content-Length: 600')}${'x'.repeat(600)}`)
const LARGE_CHUNKS = Buffer.from(CHUNKS(4, 16_000))
const SMALL_CHUNKS = Buffer.from(CHUNKS(10_000, 1))
const parser = new ResponseParser(64 * 1024)
const bodies = new BodyReader({
  sizeLine: null,
  stray: /\0/,
  trailerBytesMax: 1_000,
  extensionBytesMax: 1_000,
})
let before: ReturnType<typeof blockOf> | null = null

function readBody(bytes: Buffer): void {
  // The reader moves the data of chunks together, so it gets a copy each time, as sockets do.
  const copy = Buffer.from(bytes)
  bodies.begin('chunked')
  for (let at = 0; at < copy.length; ) at = bodies.step(copy, at, IGNORED)
}
function readResponse(bytes: Buffer): void {
  parser.begin('GET', false, IGNORED)
  parser.execute(bytes)
}
const chunked = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(RESPONSE_HEAD('Transfer-Encoding: chunked')), bytes])

type Side = (index: number) => void
const CASES: readonly (readonly [what: string, times: number, ours: Side, nodes: Side])[] = [
  [
    'head of a request, new headers',
    50_000,
    (index) => void parseRequestHead(Buffer.from(HEAD(index)).toString('latin1'), null, blockOf),
    (index) => readByNode('REQUEST', Buffer.from(`${HEAD(index)}\r\n\r\n`)),
  ],
  [
    'head of a request, headers as before',
    50_000,
    (index) => {
      before = parseRequestHead(Buffer.from(HEAD(index)).toString('latin1'), before, blockOf).headers
    },
    (index) => readByNode('REQUEST', Buffer.from(`${HEAD(index)}\r\n\r\n`)),
  ],
  ['response of 600 bytes', 50_000, () => readResponse(SMALL), () => readByNode('RESPONSE', SMALL)],
  [
    'body in 4 chunks of 16 kB',
    5_000,
    () => readBody(LARGE_CHUNKS),
    () => readByNode('RESPONSE', chunked(LARGE_CHUNKS)),
  ],
  [
    'body in 10,000 chunks of a byte',
    50,
    () => readBody(SMALL_CHUNKS),
    () => readByNode('RESPONSE', chunked(SMALL_CHUNKS)),
  ],
]

/** Microseconds of processor time for each run. */
function measure(side: Side, times: number): number {
  const from = process.threadCpuUsage()
  for (let index = 0; index < times; index++) side(index)
  const { user, system } = process.threadCpuUsage(from)
  return (user + system) / times
}
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0

for (const [what, times, ours, nodes] of CASES) {
  const rounds = Array.from(
    { length: 8 },
    () => [measure(ours, times), measure(nodes, times)] as const,
  ).slice(1)
  const [us, them] = [median(rounds.map(([mine]) => mine)), median(rounds.map(([, theirs]) => theirs))]
  console.log(
    `  ${what.padEnd(38)} ${us.toFixed(2).padStart(9)} µs   llhttp ${them.toFixed(2).padStart(9)} µs`,
  )
}
