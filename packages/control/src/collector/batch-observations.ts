/** Sums of requests for learning, as a batch has them. */
import { Condenser } from '@sallyport/api-learning'
import { DEFINITION_CLASS, type TrafficRequest, type TrafficSender } from '@sallyport/contract/words'
import { ObservationRows } from './observation-rows.ts'

/** The record says of redirects only which other host they lead to. */
const redirectOf = ({ status, leadsTo }: TrafficRequest): string =>
  status >= 300 && status < 400 && leadsTo[0] !== undefined ? `//${leadsTo[0]}` : ''

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

  /** All of it as a block, with the days for which each organization keeps its own; nothing is left here. Empty where there is nothing. */
  block(retentionDays: ReadonlyMap<string, number>): Buffer<ArrayBuffer> {
    const rows = new ObservationRows()
    for (const { orgId, siteId, dayMs, condenser } of this.#siteDays.values()) {
      rows.addSiteDay({ orgId, siteId, daySeconds: dayMs / 1000, days: retentionDays.get(orgId) ?? 0 })
      const researcherIds = condenser.researcherIds
      condenser.each((sum) => rows.add(sum, researcherIds))
      condenser.clear()
    }
    this.#siteDays.clear()
    this.#last = undefined
    return rows.block()
  }
}
