/** All checks of `sallyport doctor`, as far as the settings say that they matter here. Nothing is changed by any of them. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hasCluster } from '../embedded/postgres.ts'
import { requireSafeControlUrl } from '../roles/control-url.ts'
import { PARTS, type Part, partUrl } from '../roles/loopback-url.ts'
import { requireGatewayToken } from '../secrets.ts'
import type { Settings } from '../settings.ts'
import { checkCertificates } from './check-certificates.ts'
import { checkControl } from './check-control.ts'
import { checkClickHouse, checkPostgres, checkValkey } from './check-databases.ts'
import { checkDisk, checkPorts } from './check-machine.ts'
import { type Finding, failed, reasonOf } from './finding.ts'

/** What was found, in the order in which one depends on the other. `asked` are the parts that run here, if that was said. */
export async function examine(settings: Settings, asked: readonly Part[]): Promise<readonly Finding[]> {
  const parts = asked.length > 0 ? asked : partsHere(settings)
  const isControl = parts.includes('control')
  const isGateway = parts.includes('gateway')
  const controlUrls =
    settings.controlUrl ?? (settings.controlPort === 0 ? [] : [partUrl('control', settings)])
  const shown = await whatGatewaysShow(settings)
  const found = await Promise.all([
    checkDisk(settings),
    checkPorts(settings, parts),
    isControl ? checkPostgres(settings) : [],
    isControl ? checkClickHouse(settings) : [],
    isGateway ? checkValkey(settings) : [],
    isGateway ? checkCertificates(settings) : [],
    ...controlUrls.map((url) => checkSafely(url, settings, shown)),
  ])
  return found.flat()
}

/** By what is set and what is in the data directory; both where nothing says otherwise. */
function partsHere({ dataDir, databaseUrl, controlUrl }: Settings): readonly Part[] {
  const isControl = databaseUrl !== undefined || hasCluster(join(dataDir, 'postgres'))
  const isGateway = controlUrl !== undefined || existsSync(join(dataDir, 'gateway'))
  if (isControl === isGateway) return PARTS
  return isControl ? ['control'] : ['gateway']
}

/** What gateways show goes no way that a gateway would not take. */
async function checkSafely(url: string, settings: Settings, shown: string | undefined): Promise<Finding[]> {
  try {
    requireSafeControlUrl(url, settings)
  } catch (error) {
    return [failed(`control plane ${url}`, reasonOf(error), 'a gateway does not start with this URL')]
  }
  return checkControl(url, shown)
}

/** The credential of the gateway that is here, or the token that gateways share; undefined where neither is known. */
async function whatGatewaysShow(settings: Settings): Promise<string | undefined> {
  try {
    const { readCredential } = await import('@sallyport/gateway')
    const kept = await readCredential(join(settings.dataDir, 'gateway'))
    return kept?.credential ?? requireGatewayToken(settings)
  } catch {
    return undefined
  }
}
