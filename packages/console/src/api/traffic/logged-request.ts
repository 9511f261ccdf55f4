import type { TrafficEvent } from '@sallyport/contract'

/** A request of the log: the event as the gateway wrote it, with its time in ISO 8601. */
export type LoggedRequest = Omit<TrafficEvent, 'time'> & { readonly time: string }
