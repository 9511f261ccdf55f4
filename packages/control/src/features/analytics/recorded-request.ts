/** A recorded request as the API shows it: the event, with its time in ISO 8601. */
import type { TrafficEvent } from '@sallyport/contract'

export type RecordedRequest = Omit<TrafficEvent, 'time'> & { readonly time: string }

export const recordedRequestOf = (event: TrafficEvent): RecordedRequest => ({
  ...event,
  time: new Date(event.time).toISOString(),
})
