/** Sums of requests for learning, on their way into the store: a line of JSON each. */
import { Condenser } from '@sallyport/api-learning'
import type { TrafficRequest, TrafficSender } from '@sallyport/contract'
import { GrowingBuffer } from '@sallyport/toolbox'

/** The columns of a line, in their order. */
export const OBSERVATION_COLUMNS = [
  'org_id',
  'site_id',
  'time',
  'place',
  'method',
  'shape',
  'name',
  'type',
  'requests',
  'covered',
  'researchers',
  'sizes',
  'first_seen',
  'last_seen',
  'retention_days',
] as const

const FIRST_BYTES = 16 * 1024
/** Sums are kept by the week, so that they go with the requests, at most a week later. */
const WEEK_MS = 7 * 86_400_000

interface SiteWeek {
  readonly orgId: string
  readonly siteId: string
  readonly weekMs: number
  readonly condenser: Condenser
}

/** What the requests of a batch teach, by site and week. */
export class BatchObservations {
  readonly #siteWeeks = new Map<string, SiteWeek>()

  /** Takes a request in. Only what an origin answered a researcher counts. */
  add(sender: TrafficSender, request: TrafficRequest): void {
    const { orgId, siteId, researcherId } = sender
    if (request.outcome !== 'origin' || request.kind !== 'request' || orgId === '' || siteId === '') return
    const weekMs = Math.floor(request.time / WEEK_MS) * WEEK_MS
    const key = `${weekMs} ${siteId} ${orgId}`
    let siteWeek = this.#siteWeeks.get(key)
    if (!siteWeek) {
      siteWeek = { orgId, siteId, weekMs, condenser: new Condenser() }
      this.#siteWeeks.set(key, siteWeek)
    }
    siteWeek.condenser.add({
      method: request.method,
      target: request.target,
      status: request.status,
      mediaType: '',
      requestMediaType: '',
      redirect: '',
      responseBytes: request.responseBytes,
      researcherId,
      hasHit: request.hits.some(({ excluded }) => !excluded),
      time: request.time,
    })
  }

  /** All of it as lines, with the days for which each organization keeps its own; nothing is left here. */
  lines(retentionDays: ReadonlyMap<string, number>): Buffer {
    const lines = new GrowingBuffer(FIRST_BYTES)
    for (const { orgId, siteId, weekMs, condenser } of this.#siteWeeks.values())
      for (const { place, method, shape, name, type, ...sums } of condenser.take())
        lines.appendLine(
          JSON.stringify([
            ...[orgId, siteId, weekMs / 1000, place, method, shape, name, type],
            ...[sums.requests, sums.covered, sums.researchers, sums.sizes, sums.firstSeen, sums.lastSeen],
            retentionDays.get(orgId) ?? 0,
          ]),
        )
    this.#siteWeeks.clear()
    return lines.bytes
  }
}
