/** Chooses where requests are counted. */
import type { GatewaySettings, Log } from '../../settings.ts'
import type { Counters } from './counters.ts'
import { LocalCounters } from './local-counters.ts'

/**
 * Counters shared through Valkey where there is a URL of one; this gateway's own memory otherwise, by `own`.
 *
 * @throws MisnamedServerError where the URL is that of a sentinel or of a node of a cluster
 */
export async function createCounters(
  { valkeyUrl, gatewayId }: Pick<GatewaySettings, 'valkeyUrl' | 'gatewayId'>,
  log: Log,
  own: Counters = new LocalCounters(),
): Promise<Counters> {
  if (valkeyUrl === null) return own
  // Its client is loaded only where it is used.
  const { SharedCounters } = await import('./shared/shared-counters.ts')
  return SharedCounters.connect({ url: valkeyUrl, gatewayId, own, log })
}
