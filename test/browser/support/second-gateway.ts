/** A further gateway of an installation, as an operator adds one on another machine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { bareEnvironment } from '../../support/environment.ts'
import { eventually, freePorts, type Installation } from '../../support/installation.ts'

const MAIN = resolve(import.meta.dirname, '../../../packages/sallyport/src/main.ts')
const READY_WAIT_MS = 30_000

export interface SecondGateway {
  readonly url: string
  close(): Promise<void>
}

export async function openSecondGateway(installation: Installation): Promise<SecondGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sallyport-gateway-'))
  const [port, adminPort] = await freePorts(2)
  const { gatewayToken } = JSON.parse(readFileSync(join(installation.dataDir, 'secrets.json'), 'utf8'))
  const child = spawn(process.execPath, [MAIN, 'gateway'], {
    env: {
      ...bareEnvironment,
      SALLYPORT_DATA_DIR: dataDir,
      SALLYPORT_GATEWAY_PORT: String(port),
      SALLYPORT_GATEWAY_ADMIN_PORT: String(adminPort),
      SALLYPORT_CONTROL_URL: installation.controlUrl,
      SALLYPORT_GATEWAY_TOKEN: gatewayToken,
      SALLYPORT_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
      SALLYPORT_LOG_LEVEL: 'warn',
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
    fetch(`http://127.0.0.1:${adminPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await eventually(isReady, READY_WAIT_MS).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { url: `http://127.0.0.1:${port}`, close }
}
