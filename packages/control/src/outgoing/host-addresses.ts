/**
 * Addresses of hosts that callers name. The system's resolver is asked, as the gateway asks it, so that both see the same. It
 * blocks a thread of the few that the process has, for as long as a name server likes: so few names are looked up at once,
 * one for each organization, and nobody waits for long. An organization whose names are slow keeps its own waiting.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Semaphore } from '@sallyport/toolbox'
import { createRemembered } from '../identity/remembered.ts'

/** All addresses of a name, as `dns.lookup` gives them. Throws where there are none. */
export type LookUp = (host: string) => Promise<readonly string[]>

/** The addresses of a host, asked for by an organization; none where it has none, or where they take too long to find. */
export type AddressesOf = (orgId: string, host: string) => Promise<readonly string[]>

const AT_ONCE_MAX = 2
const WAITING_PER_ORGANIZATION_MAX = 16
const WAIT_MS = 2_000
const REMEMBER_MS = 10_000

const lookUpInSystem: LookUp = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address)

export function createHostAddresses(lookUp: LookUp = lookUpInSystem): AddressesOf {
  const semaphore = new Semaphore(AT_ONCE_MAX)
  const oneByOne = createTurns()
  const remembered = createRemembered({
    find: (key: string): Promise<readonly string[]> => {
      const [orgId = '', host = ''] = key.split(' ')
      return oneByOne(orgId, () => semaphore.run(() => lookUp(host))).catch(() => [])
    },
    rememberMs: REMEMBER_MS,
    entriesMax: 1_000,
  })
  return (orgId, host) =>
    isIP(host) === 0
      ? Promise.race([remembered.find(`${orgId} ${host}`), delay(WAIT_MS, [], { ref: false })])
      : Promise.resolve([host])
}

/** Does the work of each organization one after the other. */
function createTurns() {
  const turns = new Map<string, { readonly semaphore: Semaphore; users: number }>()
  return async <T>(orgId: string, work: () => Promise<T>): Promise<T> => {
    const turn = turns.get(orgId) ?? {
      semaphore: new Semaphore(1, { waitingMax: WAITING_PER_ORGANIZATION_MAX }),
      users: 0,
    }
    turns.set(orgId, turn)
    turn.users++
    try {
      return await turn.semaphore.run(work)
    } finally {
      turn.users--
      if (turn.users === 0) turns.delete(orgId)
    }
  }
}
