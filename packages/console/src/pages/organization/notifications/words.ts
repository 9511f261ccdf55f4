/** The words of destinations and deliveries. */
import type { DeliveryState, Destination } from '@sallyport/contract'
import type { Tone } from '../../../design/table/status.tsx'

interface StateWords {
  readonly tone: Tone
  readonly words: string
}

export const DESTINATION_STATE_WORDS: Readonly<Record<Destination['state'], StateWords>> = {
  enabled: { tone: 'good', words: 'Enabled' },
  unconfirmed: { tone: 'warn', words: 'Waiting for confirmation' },
  disabled: { tone: 'off', words: 'Disabled' },
  gone: { tone: 'bad', words: 'Disabled: it answered 410' },
  failing: { tone: 'bad', words: 'Disabled: it failed for days' },
}

export const DELIVERY_STATE_WORDS: Readonly<Record<DeliveryState, StateWords>> = {
  waiting: { tone: 'busy', words: 'Waiting' },
  delivered: { tone: 'good', words: 'Delivered' },
  failed: { tone: 'bad', words: 'Failed' },
  cancelled: { tone: 'off', words: 'Cancelled' },
}

/** `site.window_closing` as a label: "Site: window closing". */
export function typeWords(type: string): string {
  const [thing = '', what = ''] = type.replaceAll('_', ' ').split('.')
  return `${thing.charAt(0).toUpperCase()}${thing.slice(1)}: ${what}`
}
