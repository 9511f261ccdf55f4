/**
 * Addresses of hosts that callers name. The system's resolver is asked, as the gateway asks it, so that both see the same; it
 * blocks a thread of the few that the process has, for as long as it likes, so few names are looked up at once, and nobody
 * waits for long.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createRemembered } from '../../../identity/remembered.ts'
import { createSlots } from '../../../slots.ts'

/** All addresses of a name, as `dns.lookup` gives them. Throws where there are none. */
export type LookUp = (host: string) => Promise<readonly string[]>

const AT_ONCE_MAX = 2
const WAITING_MAX = 64
const WAIT_MS = 2_000
const REMEMBER_MS = 10_000

const lookUpInSystem: LookUp = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address)

/** Finds the addresses of a host; none where it has none, or where they take too long to find. */
export function createHostAddresses(lookUp: LookUp = lookUpInSystem): LookUp {
  const slots = createSlots(AT_ONCE_MAX, { waitingMax: WAITING_MAX })
  const remembered = createRemembered({
    find: (host: string) => slots.run(() => lookUp(host)).catch((): readonly string[] => []),
    rememberMs: REMEMBER_MS,
    entriesMax: 1_000,
  })
  return (host) =>
    isIP(host) === 0
      ? Promise.race([remembered.find(host), delay(WAIT_MS, [], { ref: false })])
      : Promise.resolve([host])
}
