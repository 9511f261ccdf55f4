/** How a request's line ends where the gateway dies before the request does. */
import type { TrafficEvent } from '@sallyport/contract'
import { emptyEvent, INSPECTIONS, requestLineTail } from '@sallyport/contract/words'

type Inspected = Pick<TrafficEvent, 'inspection' | 'hits'>

const encode = ({ inspection, hits }: Inspected): string =>
  requestLineTail({ ...emptyEvent(), inspection, hits })

const WITHOUT_HITS = new Map(INSPECTIONS.map((inspection) => [inspection, encode({ inspection, hits: [] })]))

/** The tail of an event whose end nobody saw. */
export const interruptedTail = (intent: Inspected): string =>
  (intent.hits.length === 0 ? WITHOUT_HITS.get(intent.inspection) : undefined) ?? encode(intent)
