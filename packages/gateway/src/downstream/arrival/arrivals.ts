/**
 * How connections begin, whatever is spoken on them: at once; or, from the networks of load balancers that are listed for it, with a header
 * of the PROXY protocol. Nothing is guessed: from these networks there must be one, and from any other it is the client's own bytes.
 */
import { createServer, type Server, type ServerOpts, type Socket } from 'node:net'
import { createAddressRanges } from '@sallyport/policy'
import type { GatewaySettings, Log } from '../../settings.ts'
import type { ConnectionLimiter } from '../connections/connection-limiter.ts'
import type { WorkBudget } from '../connections/work-budget.ts'
import { type Arrival, remoteAddressOf } from './arrival.ts'
import { createForwardedClients } from './forwarded-client.ts'
import { PendingArrival, type TakenConnection } from './pending-arrival.ts'

/** Takes a connection of which nothing is being read. */
export type TakeArrival = (socket: Socket, arrival: Arrival) => TakenConnection

export interface ArrivalServices {
  readonly settings: Pick<
    GatewaySettings,
    'limits' | 'proxyProtocolFrom' | 'trustedProxies' | 'forwardedHeader'
  >
  readonly limiter: ConnectionLimiter
  readonly budget: WorkBudget
  readonly log: Log
}

/** Makes listeners. `options` are those of the server; the connections of each are counted by the limiter from their first moment on. */
export type CreateListener = (options: ServerOpts, take: TakeArrival) => Server

const NOTHING = Buffer.alloc(0)
const LOG_PAUSE_MS = 60_000

/** Makes the function that makes listeners. Throws a RangeError for a range in the settings that is none. */
export function createArrivals({ settings, limiter, budget, log }: ArrivalServices): CreateListener {
  const balancers = createAddressRanges(settings.proxyProtocolFrom)
  const trusted = createAddressRanges(settings.trustedProxies)
  const clients = createForwardedClients(settings.forwardedHeader, trusted)
  const { headTimeoutMs } = settings.limits
  const arrivalOf = (clientAddress: string): Arrival =>
    trusted.has(clientAddress) ? { clientAddress, forwarded: clients } : { clientAddress }
  const report = reporter(log)
  const accept = (socket: Socket, take: TakeArrival): void => {
    const address = remoteAddressOf(socket)
    const taken = balancers.has(address) ? null : take(socket, arrivalOf(address))
    const limited =
      taken?.connection ??
      new PendingArrival(socket, address, {
        ...{ budget, headTimeoutMs },
        onHeader: ({ clientAddress }) => take(socket, arrivalOf(clientAddress ?? address)),
        onMalformed: () => report(address),
      })
    socket.on('close', () => limiter.release(limited))
    limiter.admit(limited)
    if (taken) taken.begin(NOTHING)
    else socket.resume()
  }
  return (options, take) =>
    createServer({ ...options, pauseOnConnect: true }, (socket) => accept(socket, take))
}

/** Says which load balancer sends no header, but not each time. */
function reporter(log: Log): (address: string) => void {
  let quietUntil = 0
  return (address) => {
    const now = performance.now()
    if (now < quietUntil) return
    quietUntil = now + LOG_PAUSE_MS
    log(
      'warn',
      `a connection from ${address} did not begin with a header of the PROXY protocol, and was closed`,
    )
  }
}
