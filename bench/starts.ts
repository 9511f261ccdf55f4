/**
 * `sallyport start` in an empty folder, and again in the same: time until it says that it is ready, and the processor time of all its
 * processes until then, which says more on a machine with other work. With the folder of another checkout
 * (`node bench/starts.ts ../other 9`) the two take turns, and the medians of their ratios are printed. The smallest commands come last.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { bareEnvironment } from '../test/support/environment.ts'
import { freePorts } from '../test/support/loopback.ts'
import { descendantsOf } from '../test/support/processes.ts'
import { median } from './support/statistics.ts'

const OWN = resolve(import.meta.dirname, '..')
const READY = 'Sallyport is ready.'
const ROUNDS = 7
const LATER_STARTS = 2
/** Of the processor time in `/proc`. */
const TICK_MS = 10
const COMMANDS = ['--version', '--help']

interface Start {
  readonly wallMs: number
  readonly processorMs: number
}

type Starts = Record<string, Start[]>

const wanted = process.argv.slice(2)
const rounds = Number(wanted.find((one) => /^\d+$/.test(one)) ?? ROUNDS)
const sides = [OWN, ...wanted.filter((one) => !/^\d+$/.test(one)).map((one) => resolve(one))]
const measured = new Map<string, Starts>(sides.map((side) => [side, {}]))

async function measureRound(side: string): Promise<void> {
  const starts = measured.get(side) ?? {}
  const note = (what: string, start: Start): void => {
    starts[what] = [...(starts[what] ?? []), start]
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-starts-'))
  try {
    note('first start', await measureStart(side, dataDir))
    for (let later = 0; later < LATER_STARTS; later += 1)
      note('later start', await measureStart(side, dataDir))
    for (const command of COMMANDS) note(command, await measureCommand(side, command))
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const programOf = (side: string): string => join(side, 'packages/sallyport/bin/sallyport.js')

/** Starts everything, and stops it in order. */
async function measureStart(side: string, dataDir: string): Promise<Start> {
  const ports = await freePorts(4)
  const names = ['CONTROL_PORT', 'CONTROL_ADMIN_PORT', 'GATEWAY_PORT', 'GATEWAY_ADMIN_PORT']
  const settings = names.map((name, index) => [`SALLYPORT_${name}`, String(ports[index])])
  const begun = performance.now()
  const child = spawn(process.execPath, [programOf(side), 'start'], {
    env: { ...bareEnvironment, SALLYPORT_DATA_DIR: dataDir, ...Object.fromEntries(settings) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await untilSaid(child, READY)
  const start = { wallMs: performance.now() - begun, processorMs: processorMsOf(child.pid ?? 0) }
  child.kill()
  await once(child, 'exit')
  return start
}

async function untilSaid(child: ChildProcess, words: string): Promise<void> {
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    if (said.includes(words)) child.emit('ready')
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`it ended without a word: ${said}`)
  })
  ended.catch(() => undefined)
  await Promise.race([once(child, 'ready'), ended])
}

/** A command that ends by itself: a shell waits for it, and then shows its own line of `/proc`, in which the time of its children is. */
async function measureCommand(side: string, command: string): Promise<Start> {
  const begun = performance.now()
  const waiting = '"$@" > /dev/null; read -r line < /proc/$$/stat; echo "$line"'
  const child = spawn('sh', ['-c', waiting, 'sh', process.execPath, programOf(side), command], {
    env: bareEnvironment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { wallMs: performance.now() - begun, processorMs: ticksIn(line) * TICK_MS }
}

function processorMsOf(pid: number): number {
  const all = [pid, ...descendantsOf(pid).map((one) => one.pid)]
  return all.reduce((sum, one) => sum + ticksOf(one) * TICK_MS, 0)
}

function ticksOf(pid: number): number {
  try {
    return ticksIn(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    // It has ended since it was seen.
    return 0
  }
}

/** proc(5): user and system time of a process and of the children that it has waited for are fields 14 to 17 of its line. */
function ticksIn(line: string): number {
  const fields = line.replace(/^.*\) /s, '').split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

/** The median of what this side took for each of what the other took in the same round. */
function ratio(what: string, measure: (start: Start) => number): string {
  const [own = [], other = []] = [...measured.values()].map((starts) => starts[what]?.map(measure) ?? [])
  return median(own.map((value, index) => value / (other[index] ?? Number.NaN))).toFixed(2)
}

function print(): void {
  console.log(
    `  load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  )
  for (const [side, starts] of measured)
    for (const [what, values] of Object.entries(starts)) {
      const wall = inWords(values.map(({ wallMs }) => wallMs))
      const processor = inWords(values.map(({ processorMs }) => processorMs))
      console.log(`  ${basename(side).padEnd(12)} ${what.padEnd(14)} ${wall}   processor ${processor}`)
    }
  if (sides.length === 2)
    for (const what of Object.keys(measured.get(OWN) ?? {})) {
      const [wall, processor] = [ratio(what, ({ wallMs }) => wallMs), ratio(what, (one) => one.processorMs)]
      console.log(
        `  of the other: ${what.padEnd(14)} ${wall} of its time, ${processor} of its processor time`,
      )
    }
}

function inWords(values: readonly number[]): string {
  const seconds = (ms: number): string => (ms / 1_000).toFixed(2)
  return `${seconds(median(values))} s (${seconds(Math.min(...values))} to ${seconds(Math.max(...values))})`
}

for (let round = 0; round < rounds; round += 1)
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) await measureRound(side)
print()
