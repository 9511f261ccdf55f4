/** Sums of requests for learning, on their way into the store: a line of JSON each. */
import { Condenser } from '@sallyport/api-learning'
import { DEFINITION_CLASS, type TrafficRequest, type TrafficSender } from '@sallyport/contract'
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

/** The record says of redirects only which other host they lead to. */
const redirectOf = ({ status, leadsTo }: TrafficRequest): string =>
  status >= 300 && status < 400 && leadsTo[0] !== undefined ? `//${leadsTo[0]}` : ''

const FIRST_BYTES = 16 * 1024
/** Sums are kept by the day, as the coarsest rollups are, so that they go with the requests. */
const DAY_MS = 86_400_000

interface SiteDay {
  readonly orgId: string
  readonly siteId: string
  readonly dayMs: number
  readonly condenser: Condenser
}

/** What the requests of a batch teach, by site and day. */
export class BatchObservations {
  readonly #siteDays = new Map<string, SiteDay>()

  /** Takes a request in. Only what an origin answered a researcher counts. */
  add(sender: TrafficSender, request: TrafficRequest): void {
    const { orgId, siteId, researcherId } = sender
    if (request.outcome !== 'origin' || request.kind !== 'request' || orgId === '' || siteId === '') return
    const dayMs = Math.floor(request.time / DAY_MS) * DAY_MS
    const key = `${dayMs} ${siteId} ${orgId}`
    let siteDay = this.#siteDays.get(key)
    if (!siteDay) {
      siteDay = { orgId, siteId, dayMs, condenser: new Condenser() }
      this.#siteDays.set(key, siteDay)
    }
    siteDay.condenser.add({
      method: request.method,
      target: request.target,
      status: request.status,
      mediaType: '',
      requestMediaType: '',
      redirect: redirectOf(request),
      responseBytes: request.responseBytes,
      researcherId,
      hasHit: request.hits.some(
        ({ excluded, class: className }) => !excluded && className !== DEFINITION_CLASS,
      ),
      time: request.time,
    })
  }

  /** All of it as lines, with the days for which each organization keeps its own; nothing is left here. */
  lines(retentionDays: ReadonlyMap<string, number>): Buffer {
    const lines = new GrowingBuffer(FIRST_BYTES)
    for (const { orgId, siteId, dayMs, condenser } of this.#siteDays.values())
      for (const { place, method, shape, name, type, ...sums } of condenser.take())
        lines.appendLine(
          JSON.stringify([
            ...[orgId, siteId, dayMs / 1000, place, method, shape, name, type],
            ...[sums.requests, sums.covered, sums.researchers, sums.sizes, sums.firstSeen, sums.lastSeen],
            retentionDays.get(orgId) ?? 0,
          ]),
        )
    this.#siteDays.clear()
    return lines.bytes
  }
}
