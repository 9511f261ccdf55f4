/** Chooses where requests are counted. */
import type { Counters } from './counters.ts'
import { LocalCounters } from './local-counters.ts'
import { SharedCounters } from './shared-counters.ts'

/** Counters shared through Valkey where there is a URL of one; this gateway's own memory otherwise. */
export const createCounters = async (
  valkeyUrl: string | null,
  log: (level: 'info' | 'warn', line: string) => void,
): Promise<Counters> =>
  valkeyUrl === null ? new LocalCounters() : SharedCounters.connect({ url: valkeyUrl, log })
