/**
 * What it costs that a connection to an origin ends with each 304 and each answer to HEAD: a page of 60 resources, asked for
 * by a browser's six connections through the gate, from an origin over TLS. Printed beside resources that are sent whole, whose
 * connections are kept. `SALLYPORT_BENCH_BESIDE=<folder of another checkout>` measures its gateway too, in turns.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '../packages/gateway/test/support/certificates.ts'
import { type Installation, startInstallation } from '../test/support/installation.ts'
import { freePorts } from '../test/support/loopback.ts'
import { createSite } from '../test/support/site.ts'
import { cpuTimeUs } from './support/cpu-time.ts'
import { requirePrograms, startNginx } from './support/programs.ts'
import { median } from './support/statistics.ts'

const ROUNDS = 5
const PAGES = 20
const RESOURCES = 60
const BROWSER_CONNECTIONS = 6
const GATED_NAME = 'bench.gate.localhost'

const KINDS = [
  { what: '200', line: 'GET /whole', status: '200' },
  { what: '304', line: 'GET /same', status: '304' },
  { what: 'HEAD', line: 'HEAD /whole', status: '200' },
] as const

interface Page {
  readonly ms: number
  readonly cpuUs: number
  readonly opened: number
}

interface Side {
  readonly name: string
  readonly gate: Installation
  readonly pages: Map<string, Page[]>
}

requirePrograms('nginx', 'openssl')
const folder = mkdtempSync(join(tmpdir(), 'sallyport-not-modified-'))
const sides: Side[] = []
makeCertificate(folder, 'origin', '127.0.0.1')
const [originPort = 0, statusPort = 0] = await freePorts(2)
const origin = await startNginx(
  `server {
     listen 127.0.0.1:${originPort} ssl;
     ssl_certificate ${folder}/origin.crt; ssl_certificate_key ${folder}/origin.key;
     location /same { return 304; }
     location /whole { return 200 "a small resource\\n"; }
   }
   server { listen 127.0.0.1:${statusPort}; location / { stub_status; } }`,
)
try {
  await start('this checkout', startInstallation)
  const beside = process.env.SALLYPORT_BENCH_BESIDE
  if (beside)
    await start(beside, (await import(join(beside, 'test/support/installation.ts'))).startInstallation)
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of KINDS) for (const side of sides) await measure(side, kind)
  print()
} finally {
  for (const { gate } of sides) await gate.remove()
  await origin.stop()
  rmSync(folder, { recursive: true })
}

async function start(name: string, startOne: typeof startInstallation): Promise<void> {
  const environment = { SALLYPORT_ORIGIN_AUTHORITIES_FILE: join(folder, 'origin.crt') }
  const gate = await startOne({ environment })
  sides.push({ name, gate, pages: new Map() })
  await createSite(gate, GATED_NAME, `https://127.0.0.1:${originPort}`)
}

async function measure({ gate, pages }: Side, kind: (typeof KINDS)[number]): Promise<void> {
  const { pid } = gate.process('gateway')
  const sockets = Array.from({ length: BROWSER_CONNECTIONS }, () =>
    connect(Number(new URL(gate.gatewayUrl).port), '127.0.0.1').setNoDelay(true),
  )
  const head = `Host: ${GATED_NAME}\r\nSallyport-Key: ${gate.firstRun.researcher.key}\r\n\r\n`
  const load = async (): Promise<void> => {
    let left = RESOURCES
    await Promise.all(
      sockets.map(async (socket) => {
        while (left-- > 0) await ask(socket, `${kind.line} HTTP/1.1\r\n${head}`, kind)
      }),
    )
  }
  await load()
  const openedBefore = await accepted()
  const cpuBefore = cpuTimeUs(pid)
  const from = performance.now()
  for (let page = 0; page < PAGES; page++) await load()
  const before = pages.get(kind.what) ?? []
  before.push({
    ms: (performance.now() - from) / PAGES,
    cpuUs: (cpuTimeUs(pid) - cpuBefore) / (PAGES * RESOURCES),
    // One is that of the question itself.
    opened: ((await accepted()) - openedBefore - 1) / PAGES,
  })
  pages.set(kind.what, before)
  for (const socket of sockets) socket.destroy()
}

/** One request; its answer comes in one piece, because it is small. */
function ask(socket: Socket, text: string, { status, what }: (typeof KINDS)[number]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let answer = ''
  const take = (read: Buffer): void => {
    answer += read.toString('latin1')
    const end = answer.indexOf('\r\n\r\n')
    if (end < 0 || (what === '200' && !answer.endsWith('resource\n'))) return
    socket.off('data', take)
    if (answer.startsWith(`HTTP/1.1 ${status} `)) resolve()
    else reject(new Error(answer))
  }
  socket.on('data', take)
  socket.write(text)
  return promise
}

/** Connections that the origin has accepted, as nginx counts them: this question's too. */
async function accepted(): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${statusPort}/`, { headers: { connection: 'close' } })
  return Number(/requests\s+(\d+)/.exec(await answer.text())?.[1])
}

function print(): void {
  for (const { name, pages } of sides) {
    console.log(`${name}: a page of ${RESOURCES} resources, median of ${ROUNDS} rounds`)
    const of = (what: string, figure: keyof Page): number =>
      median((pages.get(what) ?? []).map((page) => page[figure]))
    for (const { what } of KINDS)
      console.log(
        `  ${what.padEnd(6)} ${of(what, 'ms').toFixed(1).padStart(7)} ms, ${of(what, 'opened').toFixed(1).padStart(5)} connections, ` +
          `${of(what, 'cpuUs').toFixed(0).padStart(5)} µs of processor time a request ` +
          `(${(of(what, 'cpuUs') / of('200', 'cpuUs')).toFixed(1)} times a 200)`,
      )
  }
}
