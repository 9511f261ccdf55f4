/** All checks of `sallyport doctor`, as far as the settings say that they matter here. Nothing is changed by any of them. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hasCluster } from '../embedded/postgres.ts'
import { loopbackUrl } from '../roles/loopback-url.ts'
import { requireGatewayToken } from '../secrets.ts'
import type { Settings } from '../settings.ts'
import { checkCertificates } from './check-certificates.ts'
import { checkControl } from './check-control.ts'
import { checkClickHouse, checkPostgres, checkValkey } from './check-databases.ts'
import { checkDisk, checkPorts, type Part } from './check-machine.ts'
import type { Finding } from './finding.ts'

/** What was found, in the order in which one depends on the other. `asked` are the parts that run here, if that was said. */
export async function examine(settings: Settings, asked: readonly Part[]): Promise<readonly Finding[]> {
  const parts = asked.length > 0 ? asked : partsHere(settings)
  const isControl = parts.includes('control')
  const isGateway = parts.includes('gateway')
  const own = loopbackUrl(settings.controlHost, settings.controlPort)
  const controlUrls = settings.controlUrl ?? (settings.controlPort === 0 ? [] : [own])
  const token = tokenOf(settings)
  const found = await Promise.all([
    checkDisk(settings),
    checkPorts(settings, parts),
    isControl ? checkPostgres(settings) : [],
    isControl ? checkClickHouse(settings) : [],
    isGateway ? checkValkey(settings) : [],
    isGateway ? checkCertificates(settings) : [],
    ...controlUrls.map((url) => checkControl(url, token)),
  ])
  return found.flat()
}

/** By what is set and what is in the data directory; both where nothing says otherwise. */
function partsHere({ dataDir, databaseUrl, controlUrl }: Settings): readonly Part[] {
  const isControl = databaseUrl !== undefined || hasCluster(join(dataDir, 'postgres'))
  const isGateway = controlUrl !== undefined || existsSync(join(dataDir, 'gateway'))
  if (isControl === isGateway) return ['control', 'gateway']
  return isControl ? ['control'] : ['gateway']
}

function tokenOf(settings: Settings): string | undefined {
  try {
    return requireGatewayToken(settings)
  } catch {
    return undefined
  }
}
