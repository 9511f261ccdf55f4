/**
 * Load through the gate, and the comparison that matters after a crash: what the origin saw against what is in the
 * record. Every request has a target of its own, so each can be found in both.
 */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Installation } from './installation.ts'
import type { Origin } from './origin.ts'

export interface GateLoad {
  /** Requests that were answered with 200 so far. */
  answered(): number
  /** Resolves with the milliseconds until the next 200 of a request that is sent from now on. */
  untilFlowing(): Promise<number>
  /** Sends no more, and resolves when nothing is under way. */
  stop(): Promise<void>
}

export interface GateLoadOptions {
  /** How long each connection rests between two requests; not at all unless given. */
  readonly restMs?: number
  /** What follows the number in a target, such as a query. */
  readonly ending?: (number: number) => string
}

/** A gateway, and the researcher who comes through it. */
export type LoadedGateway = Pick<Installation, 'gatewayUrl'> & {
  readonly firstRun: { readonly researcher: { readonly key: string } }
}

/** Keeps `connections` requests under way, each under `prefix` with a number of its own. */
export function startGateLoad(
  { gatewayUrl, firstRun }: LoadedGateway,
  gatedName: string,
  prefix: string,
  connections: number,
  { restMs = 0, ending = () => '' }: GateLoadOptions = {},
): GateLoad {
  const { hostname, port } = new URL(gatewayUrl)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const headers = { host: gatedName, 'sallyport-key': firstRun.researcher.key }
  let stopped = false
  let sent = 0
  let answered = 0
  let waiting: { readonly after: number; readonly done: () => void }[] = []

  const sendOne = (): Promise<void> => {
    const number = ++sent
    return new Promise((done) => {
      const path = `${prefix}${number}${ending(number)}`
      const call = request({ hostname, port, agent, path, headers }, (answer) => {
        answer.resume()
        answer.on('close', done)
        if (answer.statusCode !== 200) return
        answered += 1
        for (const waiter of waiting) if (number > waiter.after) waiter.done()
        waiting = waiting.filter((waiter) => number <= waiter.after)
      })
      call.on('error', () => done())
      call.end()
    })
  }
  const workers = Array.from({ length: connections }, async () => {
    while (!stopped) {
      const before = answered
      await sendOne()
      // Do not spin while the gateway is away.
      if (answered === before) await delay(5)
      else if (restMs > 0) await delay(restMs)
    }
  })
  return {
    answered: () => answered,
    untilFlowing: () => {
      const start = performance.now()
      const after = sent
      return new Promise((done) => waiting.push({ after, done: () => done(performance.now() - start) }))
    },
    stop: async () => {
      stopped = true
      await Promise.all(workers)
      agent.destroy()
    },
  }
}

export interface RecordComparison {
  readonly seen: number
  /** Targets that the origin saw and the record lacks. */
  readonly missing: readonly string[]
  /** Targets that the record holds more than once. */
  readonly repeated: readonly string[]
}

/** Compares the requests under `prefix` that the origin saw with those in the record that were sent to the origin. */
export async function compareWithRecord(
  installation: Installation,
  origin: Origin,
  prefix: string,
): Promise<RecordComparison> {
  const seen = origin.seen.map(({ target }) => target).filter((target) => target.startsWith(prefix))
  const recorded = new Map<string, number>()
  for await (const target of readTargets(installation, prefix))
    recorded.set(target, (recorded.get(target) ?? 0) + 1)
  return {
    seen: seen.length,
    missing: seen.filter((target) => !recorded.has(target)),
    repeated: [...recorded].filter(([, count]) => count > 1).map(([target]) => target),
  }
}

interface RequestPage {
  readonly items: readonly { readonly target: string }[]
  readonly next: string | null
}

async function* readTargets(installation: Installation, prefix: string): AsyncGenerator<string> {
  const query = new URLSearchParams({ path: prefix, limit: '500' })
  for (;;) {
    const { status, body } = await installation.api<RequestPage>('GET', `/api/Analytics/requests?${query}`)
    if (status !== 200) throw new Error(`the request log answered ${status}: ${JSON.stringify(body)}`)
    for (const item of body.items) yield item.target
    if (body.next === null) return
    query.set('cursor', body.next)
  }
}
