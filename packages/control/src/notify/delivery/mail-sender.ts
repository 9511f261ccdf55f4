/**
 * Sends notifications as mail, by the server that the operator names. A header holds our own words and names that were stripped of
 * everything but letters, digits and plain punctuation; what attackers wrote stands in the text alone, one line each.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NotifySettings } from '../../settings.ts'
import type { AttemptResult } from './attempt.ts'
import type { ClaimedDelivery } from './delivery-store.ts'
import { codeMail, type MailText, notificationMail } from './mail-text.ts'

export interface MailSender {
  send(address: string, notification: ClaimedDelivery): Promise<AttemptResult>
  /** Sends the code of an address that is to be confirmed. Never throws: the caller sees that no mail came. */
  sendCode(address: string, code: string): Promise<void>
  close(): void
}

export interface MailSenderOptions {
  readonly settings: NonNullable<NotifySettings['mail']>
  /** Where the console is, which the mail names. */
  readonly consoleUrl: string
  readonly failed: (error: unknown) => void
}

const CONNECT_TIMEOUT_MS = 10_000
const SILENCE_TIMEOUT_MS = 20_000
const CONNECTIONS_MAX = 2
/** Of one message, its wait for a connection included: less than the lease of a delivery. */
const SEND_TIMEOUT_MS = 60_000
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Loads its library: most installations send no mail. */
export async function createMailSender({
  settings,
  consoleUrl,
  failed,
}: MailSenderOptions): Promise<MailSender> {
  const { createTransport } = await import('nodemailer')
  const url = new URL(settings.url)
  const isTls = url.protocol === 'smtps:'
  const isHere = LOOPBACK.has(url.hostname)
  const transport = createTransport({
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (isTls ? 465 : 587),
    secure: isTls,
    // On this machine nobody is in between, and its mail server has mostly a certificate of its own making.
    requireTLS: !isTls && !isHere,
    tls: { rejectUnauthorized: !isHere },
    ...(url.username !== '' && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const fromDomain = settings.from.slice(settings.from.lastIndexOf('@') + 1)
  const post = (address: string, { subject, text }: MailText, messageId?: string): Promise<unknown> =>
    transport.sendMail({
      from: { name: 'Sallyport', address: settings.from },
      to: { name: '', address },
      subject,
      text,
      ...(messageId !== undefined && { messageId: `<${messageId}@${fromDomain}>` }),
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  return {
    async send(address, notification) {
      const { notification_id, destination_id } = notification
      try {
        const posted = post(
          address,
          notificationMail(notification, consoleUrl),
          `${notification_id}.${destination_id}`,
        )
        const outcome = await Promise.race([
          posted.then(() => 'accepted' as const),
          delay(SEND_TIMEOUT_MS, 'timeout' as const, { ref: false }),
        ])
        return { outcome, status: 0 }
      } catch (error) {
        return resultOf(error)
      }
    },
    sendCode: (address, code) => post(address, codeMail(code, consoleUrl)).then(() => undefined, failed),
    close: () => transport.close(),
  }
}

/** What an error of the server or of the way to it means. */
function resultOf(error: unknown): AttemptResult {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown }
  if (typeof responseCode === 'number') return { outcome: 'refused', status: responseCode }
  if (code === 'ETIMEDOUT') return { outcome: 'timeout', status: 0 }
  return { outcome: code === 'ETLS' ? 'tls' : 'unreachable', status: 0 }
}
