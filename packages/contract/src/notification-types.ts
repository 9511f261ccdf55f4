import { keysOf } from './keys-of.ts'

/** What members are told of outside of the console, by webhook or e-mail. The type stands in each message. */
export const NOTIFICATION_TYPES = {
  'site.opened': 'A site is open to researchers.',
  'site.closed': 'A site is closed that was open.',
  'site.window_closing': 'The window of an open site ends within a day.',
  'researcher.paused': 'A researcher was paused.',
  'researcher.expiring': 'The access of a researcher ends within a week.',
  'researcher.new_address': 'A researcher came from a network that they had not come from before.',
  'researcher.new_tool': 'A researcher used a tool for the first time.',
  'limit.exhausted': 'A rate limit refused a researcher, for the first time in an hour.',
  'attack.new_class': 'The firewall found attacks of a class that it had not found at the site before.',
  'origin.failing': 'A gateway cannot get answers from the origin of a site.',
  'origin.recovered': 'All gateways that tried the origin of a site get answers again.',
  'gateway.silent': 'A gateway is not heard of any more.',
  'gateway.behind': 'A gateway does not run the last change of the organization.',
  'gateway.journal_filling': 'Records wait at a gateway, because it cannot deliver them.',
  'api_key.expiring': 'An API key expires within a week.',
  'destination.disabled': 'A destination was disabled, because its receiver is gone or kept failing.',
  'notification.test': 'Somebody asked for a test. Every destination takes it.',
} as const satisfies Readonly<Record<string, string>>

export type NotificationType = keyof typeof NOTIFICATION_TYPES
export const NOTIFICATION_TYPE_NAMES = keysOf(NOTIFICATION_TYPES)

/**
 * The fields of `data` beside `organizationId`. Things are objects with `id` and `name` (researchers: `email`; gateways: `id` alone),
 * everything else is text.
 */
export const NOTIFICATION_FIELDS = {
  'site.opened': ['site'],
  'site.closed': ['site'],
  'site.window_closing': ['site', 'closes'],
  'researcher.paused': ['researcher'],
  'researcher.expiring': ['researcher', 'expires'],
  'researcher.new_address': ['researcher', 'site', 'address'],
  'researcher.new_tool': ['researcher', 'site', 'tool'],
  'limit.exhausted': ['researcher', 'site', 'policy'],
  'attack.new_class': ['researcher', 'site', 'attackClass'],
  'origin.failing': ['site', 'reason'],
  'origin.recovered': ['site'],
  'gateway.silent': ['gateway', 'lastSeen'],
  'gateway.behind': ['gateway'],
  'gateway.journal_filling': ['gateway'],
  'api_key.expiring': ['apiKey', 'expires'],
  'destination.disabled': ['destination', 'because'],
  'notification.test': ['destination', 'by'],
} as const satisfies Readonly<Record<NotificationType, readonly string[]>>

/** The ways by which a destination is reached. */
export const DESTINATION_KINDS = ['webhook', 'email'] as const
export type DestinationKind = (typeof DESTINATION_KINDS)[number]

/** How a webhook is signed: `hmac` (HMAC-SHA256, a shared secret) or `ed25519` (the receiver knows the public key alone). */
export const WEBHOOK_SIGNATURES = ['hmac', 'ed25519'] as const
export type WebhookSignature = (typeof WEBHOOK_SIGNATURES)[number]

/** `unconfirmed`: an address whose code nobody has shown. `gone`: the receiver answered 410. `failing`: it failed for days. */
export const DESTINATION_STATES = ['enabled', 'unconfirmed', 'disabled', 'gone', 'failing'] as const

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'cancelled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** How an attempt ended. Nothing else of what a receiver answers is kept but its status. */
export const DELIVERY_OUTCOMES = {
  '': 'not tried yet, or being sent',
  accepted: 'the receiver took it',
  refused: 'the receiver answered another status than 2xx',
  gone: 'the receiver answered 410: it wants no more',
  redirect: 'the receiver answered a redirect, which is not followed',
  timeout: 'no whole answer came in time',
  unreachable: 'no connection could be made, or it broke',
  no_address: 'the name has no address',
  forbidden_address: 'the name leads to an address that may not be reached',
  forbidden_host: 'the operator does not allow the host any more',
  tls: 'the certificate is not valid for the host',
  not_set_up: 'the operator has not set up mail',
} as const satisfies Readonly<Record<string, string>>
export type DeliveryOutcome = keyof typeof DELIVERY_OUTCOMES

/** Destinations of one organization. */
export const DESTINATIONS_MAX = 20
export const DESTINATION_TARGET_CHARS_MAX = 2_048
