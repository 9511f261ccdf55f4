/** A further process of an installation, as an operator adds one on another machine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { bareEnvironment } from './environment.ts'
import { eventually, type Installation } from './installation.ts'

const MAIN = resolve(import.meta.dirname, '../../packages/sallyport/src/main.ts')
const READY_WAIT_MS = 60_000

export interface RoleProcess {
  readonly pid: number
  readonly dataDir: string
  close(): Promise<void>
}

/** Starts a role with a data directory of its own; resolves when `readyUrl` answers with a status of success. */
export async function startRole(
  role: 'control' | 'gateway',
  environment: Readonly<Record<string, string>>,
  readyUrl: string,
): Promise<RoleProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), `sallyport-${role}-`))
  const child = spawn(process.execPath, [MAIN, role], {
    env: {
      ...bareEnvironment,
      SALLYPORT_DATA_DIR: dataDir,
      SALLYPORT_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
      SALLYPORT_LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const close = async (): Promise<void> => {
    if (child.exitCode === null) {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    }
    rmSync(dataDir, { recursive: true, force: true })
  }
  const isReady = (): Promise<boolean> =>
    fetch(readyUrl).then(
      ({ ok }) => ok,
      () => false,
    )
  await eventually(isReady, READY_WAIT_MS).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { pid: child.pid ?? 0, dataDir, close }
}

/** Starts a second control plane on the database of an installation. */
export function startSecondControl(installation: Installation, port: number): Promise<RoleProcess> {
  // proc(5): what the process was started with. The supervisor tells its children where the database is.
  const told = readFileSync(`/proc/${installation.process('control').pid}/environ`, 'utf8').split('\0')
  const names = /^(DATABASE_URL|DATABASE_OWNER_URL|SALLYPORT_SECRET_KEY|SALLYPORT_GATEWAY_TOKEN)=/
  const environment = Object.fromEntries(
    told
      .filter((line) => names.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  return startRole(
    'control',
    { ...environment, SALLYPORT_CONTROL_PORT: String(port), SALLYPORT_CONTROL_ADMIN_PORT: '0' },
    `http://127.0.0.1:${port}/readyz`,
  )
}
