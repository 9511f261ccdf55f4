/**
 * Brings faults to a fleet under load, one after the other, and measures how long it takes after each until everything works
 * again by itself: traffic at every gateway, changes in force everywhere, new requests in the record. At the end the
 * origin's own log is compared with the record, by request id.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Site } from '@sallyport/contract'
import { type FaultyLink, openFaultyLink } from '../faulty-link.ts'
import { type GateLoad, startGateLoad } from '../gate-load.ts'
import { eventually, goThrough } from '../installation.ts'
import { type Origin, startOrigin } from '../origin.ts'
import { readRecord, windowOfAll } from '../recorded-lines.ts'
import type { Fault } from './faults.ts'
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts'
import { fallbackDecisions, readMetrics } from './metrics.ts'

const LOADED = 'loaded.gate.localhost'
const PREFIX = '/faults/'
const PROBE = '/probe/'
const LIMITED = '/limited/'
const POLICY = 'a-day'
/** Outcomes of what was sent to the origin. */
const FORWARDED = new Set(['origin', 'interrupted'])
/** A fault lasts so long, unless what died is back sooner. */
const FAULT_MS = 3_000
const BACK_WAIT_MS = 60_000

/** What a fault did, in milliseconds after its end until … */
export interface FaultEffect {
  readonly name: string
  /** … every gateway serves, … */
  readonly servesMs: number
  /** … a change is in force at every gateway, … */
  readonly changesMs: number
  /** … and a new request of each is in the record. */
  readonly recordsMs: number
  /** Of a limit for all gateways together: how many requests the origin saw, and how many it may see. */
  readonly admitted: number
  readonly limit: number
  /** Decisions that gateways made by themselves, because Valkey did not answer in time. */
  readonly fallback: number
}

/** What the origin saw against what is in the record. */
export interface FaultRun {
  readonly effects: readonly FaultEffect[]
  readonly seen: number
  readonly recorded: number
  /** Ids that the origin saw and the record lacks, and ids that the record has more than once. */
  readonly missing: readonly string[]
  readonly repeated: readonly string[]
  /** Recorded as sent to the origin, which never saw them: interrupted on the way. */
  readonly neverArrived: number
}

interface Run {
  readonly fleet: Fleet
  readonly origin: Origin
  readonly originLink: FaultyLink
  readonly site: Site
  readonly loads: readonly GateLoad[]
  readonly limit: number
}

export interface FaultRunOptions extends FleetOptions {
  readonly connections?: number
  /** What the limit admits. */
  readonly limit?: number
  readonly faultMs?: number
  readonly told?: (effect: FaultEffect) => void
}

/** Runs through all of them; leaves nothing behind. */
export async function runFaults(faults: readonly Fault[], options: FaultRunOptions = {}): Promise<FaultRun> {
  const { connections = 4, limit = 40, faultMs = FAULT_MS, told } = options
  const origin = await startOrigin()
  const originLink = await openFaultyLink(origin.port)
  const fleet = await startFleet(options)
  let loads: GateLoad[] = []
  try {
    await makePolicy(fleet, limit)
    const site = await makeSite(fleet, LOADED, originLink.url)
    loads = fleet.gateways.map(({ url }, index) =>
      startGateLoad(
        { gatewayUrl: url, firstRun: { researcher: { key: fleet.researcherKey } } },
        LOADED,
        `${PREFIX}${index}/`,
        connections,
        { restMs: 20 },
      ),
    )
    const run: Run = { fleet, origin, originLink, site, loads, limit }
    const effects: FaultEffect[] = []
    for (const [index, fault] of faults.entries()) {
      const effect = await bring(run, fault, index, faultMs)
      told?.(effect)
      effects.push(effect)
    }
    await Promise.all(loads.map((load) => load.stop()))
    return { effects, ...(await compareRecord(run)) }
  } catch (error) {
    throw new Error(`${String(error)}\n${fleet.output()}`, { cause: error })
  } finally {
    // Requests that hang end with what they hang at.
    const stopped = Promise.all(loads.map((load) => load.stop()))
    await fleet.close()
    await stopped
    await originLink.close()
    await origin.close()
  }
}

async function makePolicy(fleet: Fleet, limit: number): Promise<void> {
  const settings = JSON.stringify({ kind: 'fixed', limit, windowMs: 86_400_000 })
  await fleet.command('policies', 'create', POLICY, '--site', settings)
  await fleet.command('plans', 'change', 'standard', '--policies', POLICY)
}

async function makeSite(
  fleet: Fleet,
  gatedName: string,
  originUrl: string,
  probe = '/made',
  rateLimit = '',
): Promise<Site> {
  const wanted = { originName: originUrl, gatedName, isActive: true, rateLimit }
  const { status, body } = await fleet.api<Site>('POST', '/api/Sites', wanted)
  if (status !== 201) throw new Error(`the site was not created: ${status} ${JSON.stringify(body)}`)
  for (const gateway of fleet.gateways)
    await eventually(async () => (await ask(fleet, gateway.url, gatedName, probe)) === 200, BACK_WAIT_MS)
  return body
}

const ask = (fleet: Fleet, url: string, gatedName: string, target: string): Promise<number> =>
  goThrough(url, gatedName, target, { key: fleet.researcherKey }).then(
    ({ status }) => status,
    () => 0,
  )

async function bring(run: Run, fault: Fault, index: number, faultMs: number): Promise<FaultEffect> {
  const { fleet, origin, originLink } = run
  const limited = `limited-${index}.gate.localhost`
  const target = `${LIMITED}${index}`
  await makeSite(fleet, limited, originLink.url, target, POLICY)
  const before = await fallbackDecisions(fleet.gateways)
  await fault.begin(fleet, originLink)
  // Not before: what a gateway that is killed decided by itself is not known afterwards.
  const asking = askBeyondLimit(run, limited, target)
  await delay(faultMs)
  await fault.end?.(fleet, originLink)
  const start = performance.now()
  const since = async (back: Promise<unknown>): Promise<number> => {
    await back
    return Math.round(performance.now() - start)
  }
  const [servesMs, changesMs, recordsMs] = await Promise.all([
    since(Promise.all(run.loads.map((load) => load.untilFlowing()))),
    since(untilChanged(run, index)),
    since(untilRecorded(run, index)),
  ])
  await asking()
  const admitted = origin.seen.filter((request) => request.target === target).length
  // One that was started again counts anew.
  const fallback = (await fallbackDecisions(fleet.gateways))
    .map((count, at) => (count < (before[at] ?? 0) ? count : count - (before[at] ?? 0)))
    .reduce((sum, count) => sum + count, 0)
  return { name: fault.name, servesMs, changesMs, recordsMs, admitted, limit: run.limit, fallback }
}

/** Asks a limited site at all gateways in turn, from now on until it is called back: then until the limit is surely used up. */
function askBeyondLimit({ fleet, limit }: Run, gatedName: string, target: string): () => Promise<void> {
  let stopped = false
  const askOn = async (url: string): Promise<void> => {
    for (let sent = 0; !stopped || sent < limit; sent += 1) {
      await ask(fleet, url, gatedName, target)
      await delay(20)
    }
  }
  const over = Promise.all(fleet.gateways.map(({ url }) => askOn(url)))
  return async () => {
    stopped = true
    await over
  }
}

/** Makes a change, again where it was not taken, and waits until every gateway runs it. */
async function untilChanged({ fleet, site }: Run, index: number): Promise<void> {
  await eventually(async () => {
    const change = { instructions: `after fault ${index}` }
    const answer = await fleet.api('PATCH', `/api/Sites/${site.id}`, change).catch(() => undefined)
    return answer?.status === 200 || undefined
  }, BACK_WAIT_MS)
  await eventually(async () => {
    const answer = await fleet.api<Site>('GET', `/api/Sites/${site.id}`).catch(() => undefined)
    return answer?.body.isDeploymentProgress === false || undefined
  }, BACK_WAIT_MS)
}

/** Sends a request through each gateway, again where it was not answered, and waits until the record has one of each. */
async function untilRecorded({ fleet }: Run, index: number): Promise<void> {
  const paths = fleet.gateways.map((_, number) => `${PROBE}${index}/${number}/`)
  await Promise.all(
    fleet.gateways.map(({ url }, number) =>
      eventually(
        async () => (await ask(fleet, url, LOADED, paths[number] ?? '')) === 200 || undefined,
        BACK_WAIT_MS,
      ),
    ),
  )
  for (const path of paths)
    await eventually(async () => {
      const answer = await fleet
        .api<{ items?: readonly unknown[] }>('GET', `/api/Analytics/requests?${askedOf(path)}`)
        .catch(() => undefined)
      return (answer?.body.items?.length ?? 0) > 0 || undefined
    }, BACK_WAIT_MS)
}

const askedOf = (path: string): string => new URLSearchParams({ path, ...windowOfAll() }).toString()

/** Waits until the gateways have nothing left to hand over, and compares. */
export async function compareRecord({
  fleet,
  origin,
}: Pick<Run, 'fleet' | 'origin'>): Promise<Omit<FaultRun, 'effects'>> {
  for (const { adminUrl } of fleet.gateways) await eventually(() => isHandedOver(adminUrl), BACK_WAIT_MS)
  const seen = new Set(origin.seen.map(({ headers }) => String(headers['sallyport-request-id'])))
  const recorded = new Map<string, number>()
  const reader = { controlUrl: fleet.controls[0]?.url ?? '', firstRun: { apiKey: fleet.apiKey } }
  let neverArrived = 0
  for await (const { id, outcome } of readRecord(reader, '/')) {
    recorded.set(id, (recorded.get(id) ?? 0) + 1)
    if (FORWARDED.has(outcome) && !seen.has(id)) neverArrived += 1
  }
  return {
    seen: seen.size,
    recorded: recorded.size,
    missing: [...seen].filter((id) => !recorded.has(id)),
    repeated: [...recorded].filter(([, times]) => times > 1).map(([id]) => id),
    neverArrived,
  }
}

async function isHandedOver(adminUrl: string): Promise<boolean> {
  const numberOf = await readMetrics(adminUrl)
  return numberOf('journal_pending_events') === 0 && numberOf('journal_open_intents') === 0
}
