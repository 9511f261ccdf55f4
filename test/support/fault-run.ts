/**
 * A whole installation with its record in a ClickHouse by URL, under load, through every fault that the record must
 * survive; then the origin's own count against the record. The tests run it in seconds, `bench/counts.ts` at length.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Site } from '@sallyport/contract'
import { type BatchRelay, openBatchRelay } from './batch-relay.ts'
import { type ClickHouseServer, startClickHouse } from './clickhouse/server.ts'
import { type GateLoad, startGateLoad } from './gate-load.ts'
import { eventually, type Installation, startInstallation } from './installation.ts'
import { type Origin, startOrigin } from './origin.ts'
import { readRecord } from './recorded-lines.ts'
import { createSite } from './site.ts'

const GATED_NAME = 'counts.gate.localhost'
const PREFIX = '/counts/'
const ATTACK = '?q=1%27%20or%20%271%27=%271'
const ATTACK_EVERY = 10

export interface FaultPlan {
  /** Clean restarts, kills of the gateway and kills of the control plane, each this many. */
  readonly rounds: number
  /** Time under load between two faults. */
  readonly calmMs: number
  /** How long the traffic store is away. */
  readonly storeAwayMs: number
  readonly connections: number
  readonly restMs: number
}

/** What the origin counted, and what the record says of it. */
export interface FaultCount {
  /** Requests that the origin saw, told apart by the request id that it was given. */
  readonly origin: number
  /** Requests in the record that went to the origin. */
  readonly recorded: number
  /** Of these, ended by a death of the gateway, and the ones among them that the origin never got. */
  readonly interrupted: number
  readonly neverArrived: number
  /** Ids that the origin saw and the record lacks. */
  readonly missing: number
  /** Ids that the record holds more than once. */
  readonly repeated: number
  /** Firewall hits in the record. */
  readonly hits: number
  /** What the four operations count, by name: all but the last count requests, the last firewall hits. */
  readonly operations: Readonly<Record<string, number>>
  /** Batches that the gateways sent, and repetitions of them that were posted besides. */
  readonly batches: number
  readonly replayed: number
}

interface Run {
  readonly plan: FaultPlan
  readonly origin: Origin
  readonly store: ClickHouseServer
  readonly installation: Installation
  readonly relay: BatchRelay
  readonly site: Site
  readonly load: GateLoad
  readonly told: (fault: string) => void
}

/** Runs through all faults and counts. `told` hears of each as it begins. */
export async function runThroughFaults(
  plan: FaultPlan,
  told: (fault: string) => void = () => undefined,
): Promise<FaultCount> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const origin = await startOrigin()
    closers.push(origin.close)
    const store = await startClickHouse()
    closers.push(store.remove)
    const relays: BatchRelay[] = []
    closers.push(async () => Promise.all(relays.map((relay) => relay.close())))
    const installation = await startInstallation({
      environment: { CLICKHOUSE_URL: store.url },
      between: async (controlUrl) => {
        const relay = await openBatchRelay(controlUrl)
        relays.push(relay)
        return relay.url
      },
    })
    closers.push(installation.remove)
    const [relay] = relays
    if (!relay) throw new Error('the gateway was not led through the relay')
    const site = await createSite(installation, GATED_NAME, origin.url)
    const load = startGateLoad(installation, GATED_NAME, PREFIX, plan.connections, {
      restMs: plan.restMs,
      ending: (number) => (number % ATTACK_EVERY === 0 ? ATTACK : ''),
    })
    closers.push(load.stop)
    const replayed = await bringFaults({ plan, origin, store, installation, relay, site, load, told })
    await load.stop()
    await untilHandedOver(installation)
    return { ...(await count(installation, origin, site)), batches: relay.count(), replayed }
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** Returns how many batches were posted besides those of the gateway. */
async function bringFaults({ plan, store, installation, relay, load, told }: Run): Promise<number> {
  const calm = async (): Promise<void> => {
    await load.untilFlowing()
    await delay(plan.calmMs)
  }
  let replayed = 0
  const replay = async (batches: number, times: number): Promise<void> => {
    const statuses = await relay.replay(batches, times)
    replayed += statuses.filter((status) => status === 204).length
  }
  await calm()
  for (let round = 0; round < plan.rounds; round += 1) {
    told('a clean restart')
    await installation.stop()
    await installation.start()
    await calm()
    told('kill -9 of the gateway')
    process.kill(installation.process('gateway').pid, 'SIGKILL')
    await calm()
    told('kill -9 of the control plane, and its last batches again when it is back')
    process.kill(installation.process('control').pid, 'SIGKILL')
    await untilStoreIs(installation, 'there')
    await replay(10, 1)
    await calm()
  }
  told('every batch twice at once, then the last ones four times at once')
  relay.repeat(2)
  const before = relay.count()
  await calm()
  relay.repeat(1)
  replayed += relay.count() - before
  await replay(10, 4)
  told(`the store killed, and away for ${plan.storeAwayMs / 1000} s`)
  await store.kill()
  await delay(plan.storeAwayMs)
  await store.start()
  await untilStoreIs(installation, 'there')
  await calm()
  await replay(10, 2)
  told('kill -9 of everything')
  await installation.kill()
  await installation.start()
  await calm()
  return replayed
}

const untilStoreIs = (installation: Installation, state: string): Promise<true> =>
  eventually(async () => {
    const answer = await fetch(`${installation.controlUrl}/readyz`).catch(() => undefined)
    const body = (await answer?.json()) as { trafficStore?: string } | undefined
    return body?.trafficStore === state || undefined
  }, 20_000)

/** Waits until the gateway has nothing left that the control plane has not acknowledged. */
const untilHandedOver = (installation: Installation): Promise<true> =>
  eventually(async () => {
    const text = await (await fetch(`${installation.gatewayAdminUrl}/metrics`)).text()
    const left = ['pending_events', 'open_intents'].map((name) =>
      Number(new RegExp(`^sallyport_journal_${name} (\\d+)$`, 'm').exec(text)?.[1]),
    )
    return left.every((number) => number === 0) || undefined
  }, 60_000)

async function count(
  installation: Installation,
  origin: Origin,
  site: Site,
): Promise<Omit<FaultCount, 'batches' | 'replayed'>> {
  const seen = new Set(
    origin.seen
      .filter(({ target }) => target.startsWith(PREFIX))
      .map(({ headers }) => String(headers['sallyport-request-id'])),
  )
  const recorded = new Map<string, number>()
  const interrupted: string[] = []
  let hits = 0
  for await (const line of readRecord(installation, PREFIX)) {
    hits += line.hits.filter(({ excluded }) => !excluded).length
    if (line.outcome === 'gate') continue
    recorded.set(line.id, (recorded.get(line.id) ?? 0) + 1)
    if (line.outcome === 'interrupted') interrupted.push(line.id)
  }
  return {
    origin: seen.size,
    recorded: recorded.size,
    interrupted: interrupted.length,
    neverArrived: interrupted.filter((id) => !seen.has(id)).length,
    missing: [...seen].filter((id) => !recorded.has(id)).length,
    repeated: [...recorded.values()].filter((times) => times > 1).length,
    hits,
    operations: await askOperations(installation, site),
  }
}

type Counted = Readonly<Record<string, number>>

/** Requests that went to the origin, by each of the operations; and firewall hits. */
async function askOperations(installation: Installation, site: Site): Promise<Record<string, number>> {
  const ask = async <Answer>(method: string, name: string, body?: unknown): Promise<Answer> => {
    const path = `/api/Analytics/${name}?site=${site.id}`
    const answer = await installation.api<string>(method, path, body)
    if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}`)
    return JSON.parse(answer.body)
  }
  const sent = ({ outcomes }: { outcomes: Counted }): number =>
    (outcomes.origin ?? 0) + (outcomes.interrupted ?? 0)
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
  const timeline = await ask<{ buckets: { outcomes: Counted }[] }>('GET', 'getTrafficTimeline')
  const summary = await ask<{ rows: { outcomes: Counted }[] }>('POST', 'getSummaryTrafficTable', {})
  const rules = await ask<{ rules: { total: number }[] }>('GET', 'getWAFSummaryRulesTimeline')
  return {
    getTotalRequest: sent(await ask('GET', 'getTotalRequest')),
    getTrafficTimeline: sum(timeline.buckets.map(sent)),
    getSummaryTrafficTable: sum(summary.rows.map(sent)),
    getWAFSummaryRulesTimeline: sum(rules.rules.map(({ total }) => total)),
  }
}
