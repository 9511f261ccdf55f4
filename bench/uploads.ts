/**
 * Uploads over HTTP/2 beside the same over HTTP/1.1: curl, TLS, 100 MB, over loopback and over links with a pace and a round trip.
 * Pairs take turns; printed are medians. `SALLYPORT_BENCH_CHECKOUT` measures another checkout's gateway.
 */
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startScript } from './support/bench-gateway.ts'
import { HOST, KEY } from './support/gateway/control-stub.ts'
import { requirePrograms } from './support/programs.ts'
import { type Link, openSlowLink } from './support/slow-link.ts'
import { median } from './support/statistics.ts'

const BAR = 1.3
const PROTOCOLS = ['--http1.1', '--http2'] as const
/** One upload, and several at once on connections of their own. */
const CASES: readonly (Link & {
  readonly name: string
  readonly megabytes: number
  readonly pairs: number
})[] = [
  { name: 'loopback', bytesPerSecond: Infinity, roundTripMs: 0, megabytes: 100, pairs: 7 },
  { name: '100 Mbit/s, 10 ms', bytesPerSecond: 12_500_000, roundTripMs: 10, megabytes: 25, pairs: 3 },
  { name: '100 Mbit/s, 40 ms', bytesPerSecond: 12_500_000, roundTripMs: 40, megabytes: 25, pairs: 3 },
  { name: '100 Mbit/s, 100 ms', bytesPerSecond: 12_500_000, roundTripMs: 100, megabytes: 25, pairs: 3 },
  { name: '300 Mbit/s, 40 ms', bytesPerSecond: 37_500_000, roundTripMs: 40, megabytes: 50, pairs: 3 },
]

requirePrograms('openssl', 'curl')
const scripts = join(import.meta.dirname, 'support')
const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const checkout = process.env.SALLYPORT_BENCH_CHECKOUT ?? join(import.meta.dirname, '..')
const [key, certificate] = [join(folder, 'a.key'), join(folder, 'a.crt')]
const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`]
execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
const origin = await startScript(join(scripts, 'upload-origin.ts'), {})
const control = await startScript(join(scripts, 'gateway/control-process.ts'), {
  originPort: origin.port,
  sites: 10,
  researchers: 10,
})
const gateway: Awaited<ReturnType<typeof startScript>> & { readonly tlsPort?: number } = await startScript(
  join(scripts, 'hostile/attacked-gateway.ts'),
  { checkout, controlPort: control.port, dataDir: join(folder, 'data'), certificates: folder },
)
try {
  for (const chosen of CASES.filter(({ name }) => name.includes(process.argv[2] ?? ''))) await measure(chosen)
} finally {
  for (const { child } of [gateway, control, origin]) {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  rmSync(folder, { recursive: true })
}

async function measure({ name, megabytes, pairs, ...link }: (typeof CASES)[number]): Promise<void> {
  const body = join(folder, 'body')
  writeFileSync(body, Buffer.alloc(megabytes * 1_000_000, 'x'))
  const slow = link.roundTripMs > 0 ? await openSlowLink(gateway.tlsPort ?? 0, link) : null
  const port = slow?.port ?? gateway.tlsPort ?? 0
  const times: Record<(typeof PROTOCOLS)[number], number[]> = { '--http1.1': [], '--http2': [] }
  const used: Record<(typeof PROTOCOLS)[number], number[]> = { '--http1.1': [], '--http2': [] }
  for (let pair = 0; pair < pairs; pair += 1)
    for (const protocol of PROTOCOLS) {
      await processorMs()
      times[protocol].push(await upload(protocol, port, body))
      used[protocol].push(await processorMs())
    }
  slow?.close()
  const [http1, http2] = [median(times['--http1.1']), median(times['--http2'])]
  console.log(
    `${name.padEnd(20)} ${megabytes} MB: HTTP/1 ${http1.toFixed(2)} s, HTTP/2 ${http2.toFixed(2)} s, ` +
      `${(http2 / http1).toFixed(2)} times (bar ${BAR}); processor ${median(used['--http1.1']).toFixed(0)} and ` +
      `${median(used['--http2']).toFixed(0)} ms`,
  )
}

async function processorMs(): Promise<number> {
  gateway.child.send('ask')
  const [{ cpuUs }] = await once(gateway.child, 'message')
  return cpuUs / 1_000
}

/** Resolves with the seconds that an upload took. */
async function upload(protocol: string, port: number, body: string): Promise<number> {
  const { stdout } = await promisify(execFile)('curl', [
    ...['--silent', '--show-error', '--insecure', protocol, '--noproxy', '*'],
    ...['--resolve', `${HOST}:${port}:127.0.0.1`, '--header', `Sallyport-Key: ${KEY}`, '--header', 'Expect:'],
    ...[
      '--upload-file',
      body,
      '--output',
      '/dev/null',
      '--write-out',
      '%{http_code} %{http_version} %{time_total}',
    ],
    `https://${HOST}:${port}/upload`,
  ])
  const [status, version, seconds] = stdout.split(' ')
  if (status !== '200' || version !== (protocol === '--http2' ? '2' : '1.1')) throw new Error(stdout)
  return Number(seconds)
}
