/** The words of mails. */
import { NOTIFICATION_TYPES } from '@sallyport/contract'
import type { ClaimedDelivery } from './delivery-store.ts'

export interface MailText {
  readonly subject: string
  readonly text: string
}

const NAME_CHARS_MAX = 80
const VALUE_CHARS_MAX = 300

/** A name as a header may hold it: letters and digits of any script, and plain punctuation; everything else is a space. */
export const headerText = (name: string): string =>
  name
    .replaceAll(/[^\p{L}\p{N}._*@-]+/gu, ' ')
    .slice(0, NAME_CHARS_MAX)
    .trim()

/** A value in one line of the text. */
const lineText = (value: string): string =>
  value.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, VALUE_CHARS_MAX)

type Told = Pick<ClaimedDelivery, 'type' | 'occurred_at' | 'data'>

/** The mail of a notification: the site is the only name in its subject. */
export function notificationMail({ type, occurred_at, data }: Told, consoleUrl: string): MailText {
  const sentence = NOTIFICATION_TYPES[type]
  const site = fieldOf(data, 'site', 'name')
  const name = site === null ? '' : `${headerText(site)}: `
  return {
    subject: `[Sallyport] ${name}${sentence.replace(/\.$/, '')}`,
    text: [
      sentence,
      '',
      `Time: ${occurred_at}`,
      ...linesOf(data),
      '',
      `The console is at ${consoleUrl}.`,
      'You get this because your address is a destination of notifications there (Organization, Notifications).',
      '',
    ].join('\n'),
  }
}

export const codeMail = (code: string, consoleUrl: string): MailText => ({
  subject: '[Sallyport] Confirm this address',
  text: [
    `Somebody wants Sallyport to send notifications to this address. If you want them, the code is ${code}.`,
    '',
    `It is entered in the console at ${consoleUrl}, under Organization, Notifications.`,
    'If you know nothing of it, do nothing: no other mail will come.',
    '',
  ].join('\n'),
})

/** `Site: shop.gate.example (019d…)`, one line each. */
const linesOf = (data: Told['data']): string[] =>
  Object.entries(data).map(([name, value]) => `${titleOf(name)}: ${lineText(valueText(value))}`)

const titleOf = (name: string): string => {
  const words = name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const [first = '', ...rest] = Object.values(value).map(String).toReversed()
  return rest.length === 0 ? first : `${first} (${rest.join(', ')})`
}

function fieldOf(data: Told['data'], thing: string, field: string): string | null {
  const value = data[thing]
  if (typeof value !== 'object' || value === null) return null
  const text = (value as Readonly<Record<string, unknown>>)[field]
  return typeof text === 'string' ? text : null
}
