/** The root of telling people: what sends, and what watches for things to tell. */

import type { DestinationKind } from '@sallyport/contract'
import type { Database } from '../database/database.ts'
import type { AddressesOf } from '../outgoing/host-addresses.ts'
import type { Cipher } from '../secrets/cipher.ts'
import type { ControlSettings } from '../settings.ts'
import type { AttemptResult } from './delivery/attempt.ts'
import { type QueueState, readQueue } from './delivery/delivery-store.ts'
import { startDeliveryWorker } from './delivery/delivery-worker.ts'
import { createMailSender, type MailSender } from './delivery/mail-sender.ts'
import { createWebhookSender } from './delivery/webhook-sender.ts'
import { watchStates } from './sources/watch-states.ts'
import { type GroupsSince, type TrafficWatch, watchTraffic } from './sources/watch-traffic.ts'

export interface NotifyOptions {
  readonly settings: Pick<ControlSettings, 'notify' | 'publicUrl' | 'version'>
  readonly database: Database
  readonly cipher: Cipher
  readonly addressesOf: AddressesOf
  /** Reads the record of traffic. */
  readonly groupsSince: GroupsSince
  readonly failed: (error: unknown) => void
  /** Hears how each attempt to deliver ended. */
  readonly attempted?: (kind: DestinationKind, result: AttemptResult) => void
}

export interface Notify {
  /** Null where the operator has not set up mail. */
  readonly mail: MailSender | null
  /** To be told of what is stored in the record of traffic. */
  readonly stored: TrafficWatch['stored']
  queue(): Promise<QueueState>
  close(): Promise<void>
}

export async function startNotify(options: NotifyOptions): Promise<Notify> {
  const { settings, database, cipher, addressesOf, groupsSince, failed, attempted } = options
  const { notify: rules, publicUrl, version } = settings
  const mail = rules.mail && (await createMailSender({ settings: rules.mail, consoleUrl: publicUrl, failed }))
  const sendWebhook = createWebhookSender({ addressesOf, rules, version })
  const worker = startDeliveryWorker({
    ...{ database, cipher, sendWebhook, mail, failed },
    ...(attempted && { attempted }),
  })
  const states = watchStates({ database, failed })
  const traffic = watchTraffic({ database, groupsSince, failed })
  return {
    mail,
    stored: traffic.stored,
    queue: () => database.readInstallation(readQueue),
    close: async () => {
      await Promise.all([states.close(), traffic.close()])
      await worker.close()
      mail?.close()
    },
  }
}
