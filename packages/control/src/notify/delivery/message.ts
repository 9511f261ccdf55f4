/** A notification as receivers get it. */
import type { ClaimedDelivery } from './delivery-store.ts'

/** The body of a webhook, as Standard Webhooks has it: the same bytes in every attempt. */
export const webhookBody = ({
  type,
  occurred_at: timestamp,
  data,
}: Pick<ClaimedDelivery, 'type' | 'occurred_at' | 'data'>): string =>
  JSON.stringify({ type, timestamp, data })
