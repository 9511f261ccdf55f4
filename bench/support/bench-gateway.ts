/** Starts the real gateway, with its journal on disk, fed by a control plane that says one snapshot of a given size. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Population, startControlStub } from './gateway/control-stub.ts'

export interface BenchGateway {
  readonly pid: number
  readonly url: string
  stop(): Promise<void>
}

/** Starts a script of this folder that prints one line of JSON with its port when it serves. */
export async function startScript(
  path: string,
  argument: object,
): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [path, JSON.stringify(argument)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  const { port } = JSON.parse(text)
  return { child, port }
}

/** Starts it; resolves when it serves the whole snapshot. */
export async function startBenchGateway(population: Population): Promise<BenchGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
  const control = await startControlStub(population)
  const script = join(import.meta.dirname, 'gateway/gateway-process.ts')
  const { child, port } = await startScript(script, { controlPort: control.port, dataDir })
  const url = `http://127.0.0.1:${port}/`
  await untilServed(url)
  return {
    pid: child.pid ?? 0,
    url,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
      control.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function untilServed(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(url, { headers: { 'sallyport-key': 'none' } })
    await answer.arrayBuffer()
    // Without the Host of a site the answer is the offline page either way: what counts is that it answers.
    if (answer.status === 503) return
    await delay(50)
  }
}

/** Resident memory in MiB. */
export const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
