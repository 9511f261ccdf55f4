/**
 * `npm run demo`: Sallyport with a sample shop behind the gate and live traffic, so that every page of the console shows
 * something. Everything stays on loopback; the data is kept in `data/demo`, or wherever SALLYPORT_DATA_DIR says.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { FirstRun } from '../../packages/sallyport/src/roles/first-run-file.ts'
import { prepareDemo } from './installation.ts'
import { startDemoOrigin } from './origin.ts'
import { sendTraffic } from './traffic.ts'

const root = resolve(import.meta.dirname, '../..')
const dataDir = resolve(process.env.SALLYPORT_DATA_DIR || join(root, 'data', 'demo'))
const stopping = new AbortController()
const origin = await startDemoOrigin()
const sallyport = spawn(process.execPath, [join(root, 'packages/sallyport/src/main.ts'), 'start'], {
  env: {
    ...process.env,
    SALLYPORT_DATA_DIR: dataDir,
    SALLYPORT_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8,::1/128',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stopping.abort()
    sallyport.kill(signal)
  })
const ended = once(sallyport, 'exit')

const ready = new Promise<void>((done) => {
  let printed = ''
  sallyport.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk)
    printed += chunk.toString()
    if (printed.includes('Sallyport is ready.')) done()
  })
})
await Promise.race([ready, ended])
try {
  if (sallyport.exitCode === null) await runDemo()
} finally {
  sallyport.kill('SIGTERM')
}
const [code] = await ended
await origin.close()
process.exit(code ?? 0)

async function runDemo(): Promise<void> {
  const firstRun: FirstRun = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8'))
  const demo = await prepareDemo(dataDir, firstRun, origin.url)
  console.log(
    [
      '',
      `The demo runs. Sign in at ${firstRun.controlUrl}/console/ as ${firstRun.email} with ${passwordOf(firstRun)}`,
      `Behind the gate: ${demo.sites.map((site) => site.gatedName).join(', ')}`,
      'Ctrl-C stops it.',
    ].join('\n'),
  )
  await Promise.race([sendTraffic(firstRun.gatewayUrl, demo, stopping.signal), ended])
}

/** The password itself only where a person reads it: what is no terminal may be a log that others read. */
function passwordOf({ password }: FirstRun): string {
  return process.stdout.isTTY ? password : `the password in ${join(dataDir, 'first-run.json')}`
}
