/**
 * One hostile client beside a good one, attack by attack: what the client, at up to 10 MB/s, takes of the gateway's
 * processor time, what becomes of the good client's times, how late the event loop is, and what the gateway keeps of it.
 * The hostile client runs at the lowest priority: it stands for one with a machine of its own, and making what it sends takes
 * more processor time than the gateway gives it.
 * Whoever names attacks by parts of their names runs those; `SALLYPORT_BENCH_CHECKOUT` measures another checkout's gateway.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startScript } from './support/bench-gateway.ts'
import { HOST } from './support/gateway/control-stub.ts'
import type { Fared } from './support/hostile/attacked-gateway.ts'
import { attacksOn } from './support/hostile/attacks.ts'
import type { Sent } from './support/hostile/hostile-client.ts'
import { requirePrograms } from './support/programs.ts'
import { median, quantile } from './support/statistics.ts'

const BYTES_PER_SECOND = 10_000_000
const GOOD_PER_SECOND = 200
const WARM_UP_MS = 1_000
const ROUND_MS = 3_000
/** A gateway that says nothing for so long is as good as gone. */
const ANSWER_TIMEOUT_MS = 10_000
/** The first researcher of the population, besides the one who is watched. */
const TARGET = { host: HOST, key: '01900000-0003-7000-8000-000000000001' }

type Script = Awaited<ReturnType<typeof startScript>> & { readonly tlsPort?: number }

interface Round {
  readonly fared: Fared
  readonly times: readonly number[]
  readonly sent: Sent | null
  readonly tookMs: number
}

requirePrograms('openssl')
const wanted = process.argv.slice(2)
const scripts = join(import.meta.dirname, 'support')
const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
const checkout = process.env.SALLYPORT_BENCH_CHECKOUT ?? join(import.meta.dirname, '..')
makeCertificate(folder)
const origin = await startScript(join(scripts, 'hostile/sink-origin.ts'), {})
const control = await startScript(join(scripts, 'gateway/control-process.ts'), {
  originPort: origin.port,
  sites: 10,
  researchers: 10,
})
try {
  const names = Object.keys(attacksOn(TARGET))
  const chosen = names.filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  console.log(
    `${'attack'.padEnd(36)} core  of it  good p50/p99 ms: alone  attacked  ratio   loop p99/most   MiB  taken`,
  )
  for (const name of chosen) await measure(name)
} finally {
  await end(control)
  await end(origin)
  rmSync(folder, { recursive: true })
}

/** A gateway for each, so that none finds what another one left behind. */
async function measure(name: string): Promise<void> {
  const gateway: Script = await startScript(join(scripts, 'hostile/attacked-gateway.ts'), {
    checkout,
    controlPort: control.port,
    dataDir: join(folder, name),
    certificates: folder,
  })
  await delay(500)
  const { port, tlsPort } = gateway
  const good = await startScript(join(scripts, 'gateway/good-client.ts'), {
    port,
    perSecond: GOOD_PER_SECOND,
  })
  let hostile: Script | null = null
  try {
    await round(gateway, good, null, WARM_UP_MS)
    const alone = await round(gateway, good, null, ROUND_MS)
    const argument = { port, tlsPort, target: TARGET, attack: name, bytesPerSecond: BYTES_PER_SECOND }
    hostile = await startScript(join(scripts, 'hostile/hostile-client.ts'), argument)
    setPriority(hostile.child.pid ?? 0, constants.priority.PRIORITY_LOW)
    await round(gateway, good, hostile, WARM_UP_MS)
    const attacked = await round(gateway, good, hostile, ROUND_MS)
    print(name, alone, attacked)
  } catch (error) {
    console.log(`${name.padEnd(36)} the gateway or the good client was not heard of any more: ${error}`)
  } finally {
    hostile?.child.kill('SIGKILL')
    good.child.kill('SIGKILL')
    gateway.child.kill('SIGKILL')
  }
}

async function round(gateway: Script, good: Script, hostile: Script | null, forMs: number): Promise<Round> {
  const parts = [gateway, good, ...(hostile ? [hostile] : [])]
  const askAll = () => Promise.all(parts.map(ask))
  await askAll()
  const from = performance.now()
  await delay(forMs)
  const [fared, { times }, sent = null] = (await askAll()) as [Fared, { times: number[] }, Sent]
  return { fared, times, sent, tookMs: performance.now() - from }
}

async function ask({ child }: Script): Promise<unknown> {
  child.send('ask')
  const [answer] = await once(child, 'message', { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
  return answer
}

function print(name: string, alone: Round, attacked: Round): void {
  const coreOf = ({ fared, tookMs }: Round): number => fared.cpuUs / 1_000 / tookMs
  const both = ({ times }: Round): string => `${median(times).toFixed(2)}/${quantile(times, 0.99).toFixed(2)}`
  const { fared, sent, tookMs } = attacked
  const ratio = quantile(attacked.times, 0.99) / quantile(alone.times, 0.99)
  const unit = attacksOn(TARGET)[name]?.unit
  const perSecond = (count = 0): number => Math.round((count * 1_000) / tookMs)
  console.log(
    [
      name.padEnd(36),
      coreOf(attacked).toFixed(2),
      ` ${Math.max(0, coreOf(attacked) - coreOf(alone)).toFixed(2)}`,
      `                 ${both(alone)}`,
      ` ${both(attacked)}`,
      ` ${ratio.toFixed(1).padStart(5)}`,
      ` ${fared.loopP99Ms.toFixed(1)}/${fared.loopMostMs.toFixed(1)}`.padStart(14),
      fared.residentMiB.toFixed(0).padStart(5),
      ` ${(perSecond(sent?.bytes) / 1e6).toFixed(1)} MB/s, ${perSecond(sent?.units)} ${unit}/s, ${perSecond(sent?.connections)} connections/s`,
    ].join(' '),
  )
}

function makeCertificate(directory: string): void {
  const [key, certificate] = [join(directory, 'a.key'), join(directory, 'a.crt')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`]
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  })
}

async function end({ child }: Script): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}
