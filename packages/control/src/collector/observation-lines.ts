/** Sums of requests for learning, on their way into the store: a line of JSON each. */
import { Condenser, type ObservationSum } from '@sallyport/api-learning'
import { DEFINITION_CLASS, type TrafficRequest, type TrafficSender } from '@sallyport/contract/words'
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

  /** That of the request before: mostly the same again. */
  #last: SiteDay | undefined

  /** Takes a request in. Only what an origin answered a researcher counts. */
  add(sender: TrafficSender, request: TrafficRequest): void {
    const { orgId, siteId, researcherId } = sender
    if (request.outcome !== 'origin' || request.kind !== 'request' || orgId === '' || siteId === '') return
    const dayMs = Math.floor(request.time / DAY_MS) * DAY_MS
    this.#siteDayOf(orgId, siteId, dayMs).condenser.add({
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

  #siteDayOf(orgId: string, siteId: string, dayMs: number): SiteDay {
    const last = this.#last
    if (last?.siteId === siteId && last.dayMs === dayMs && last.orgId === orgId) return last
    const key = `${dayMs} ${siteId} ${orgId}`
    let siteDay = this.#siteDays.get(key)
    if (!siteDay) {
      siteDay = { orgId, siteId, dayMs, condenser: new Condenser() }
      this.#siteDays.set(key, siteDay)
    }
    this.#last = siteDay
    return siteDay
  }

  /** All of it as lines, with the days for which each organization keeps its own; nothing is left here. */
  lines(retentionDays: ReadonlyMap<string, number>): Buffer {
    const lines = new GrowingBuffer(FIRST_BYTES)
    for (const { orgId, siteId, dayMs, condenser } of this.#siteDays.values()) {
      const start = `[${JSON.stringify(orgId)},${JSON.stringify(siteId)},${dayMs / 1000},`
      const end = `,${retentionDays.get(orgId) ?? 0}]`
      const researcherIds = condenser.researcherIds.map((id) => JSON.stringify(id))
      condenser.each((sum) => {
        lines.appendLine(`${start}${lineOf(sum, researcherIds)}${end}`)
      })
      condenser.clear()
    }
    this.#siteDays.clear()
    this.#last = undefined
    return lines.bytes
  }
}

/** What a line has of a sum. Written by hand: to stringify the same as arrays and objects takes three times as long. */
function lineOf(sum: ObservationSum, researcherIds: readonly string[]): string {
  const { place, method, shape, name, type, requests, covered, firstSeen, lastSeen } = sum
  let researchers = ''
  sum.researchers.each((number, count) => {
    researchers += `${researchers === '' ? '' : ','}${researcherIds[number] ?? '""'}:${count}`
  })
  let sizes = ''
  sum.sizes.each((size, count) => {
    sizes += `${sizes === '' ? '' : ','}"${size}":${count}`
  })
  const key = `"${place}",${JSON.stringify(method)},${JSON.stringify(shape)},${JSON.stringify(name)},${JSON.stringify(type)}`
  return `${key},${requests},${covered},{${researchers}},{${sizes}},${firstSeen},${lastSeen}`
}
