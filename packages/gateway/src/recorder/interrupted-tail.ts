/** How a request's line ends where the gateway dies before the request does. */
import type { TrafficEvent } from '@sallyport/contract'
import { requestLineTail } from '@sallyport/contract/words'

type Inspected = Pick<TrafficEvent, 'inspection' | 'hits'>

const encode = ({ inspection, hits }: Inspected): string =>
  requestLineTail({
    status: 0,
    outcome: 'interrupted',
    reason: '',
    rule: '',
    reading: '',
    requestBytes: 0,
    responseBytes: 0,
    durationUs: 0,
    firstByteUs: 0,
    inspection,
    hits,
    messagesIn: 0,
    messagesOut: 0,
    requestCount: 1,
  })

const WITHOUT_HITS = {
  off: encode({ inspection: 'off', hits: [] }),
  skipped: encode({ inspection: 'skipped', hits: [] }),
  full: encode({ inspection: 'full', hits: [] }),
  partial: encode({ inspection: 'partial', hits: [] }),
} as const satisfies Record<TrafficEvent['inspection'], string>

/** The tail of an event whose end nobody saw. */
export const interruptedTail = (intent: Inspected): string =>
  intent.hits.length === 0 ? WITHOUT_HITS[intent.inspection] : encode(intent)
