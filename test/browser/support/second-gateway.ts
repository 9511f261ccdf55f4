/** A further gateway of an installation, as an operator adds one on another machine. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Installation } from '../../support/installation.ts'
import { freePorts } from '../../support/loopback.ts'
import { startRole } from '../../support/role-process.ts'

export interface SecondGateway {
  readonly url: string
  close(): Promise<void>
}

export async function openSecondGateway(installation: Installation): Promise<SecondGateway> {
  const [port, adminPort] = await freePorts(2)
  const { gatewayToken } = JSON.parse(readFileSync(join(installation.dataDir, 'secrets.json'), 'utf8'))
  const { close } = await startRole(
    'gateway',
    {
      SALLYPORT_GATEWAY_PORT: String(port),
      SALLYPORT_GATEWAY_ADMIN_PORT: String(adminPort),
      SALLYPORT_CONTROL_URL: installation.controlUrl,
      SALLYPORT_GATEWAY_TOKEN: gatewayToken,
    },
    `http://127.0.0.1:${adminPort}/readyz`,
  )
  return { url: `http://127.0.0.1:${port}`, close }
}
