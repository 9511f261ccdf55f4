/** Which URLs a webhook may have: those that the operator's settings allow, whoever writes them. */
import { isIP } from 'node:net'
import { DESTINATION_TARGET_CHARS_MAX } from '@sallyport/contract'
import { createAddressPolicy } from '@sallyport/policy'
import type { NotifySettings } from '../settings.ts'

export type WebhookRules = Pick<
  NotifySettings,
  'webhookHosts' | 'webhookPrivateAddresses' | 'webhookPlainHosts'
>

/** The host of a URL as the resolver takes it: an IPv6 address without its brackets, a name without the dot of the root. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

/** Whether the operator allows a host: any, where none are named. `*.example.com` stands for each host below it. */
export const isHostAllowed = (host: string, { webhookHosts }: WebhookRules): boolean =>
  webhookHosts.length === 0 ||
  webhookHosts.some((allowed) =>
    allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === bare(allowed),
  )

/** Why a text is no URL of a webhook here, as a sentence without its subject; null where it is one. */
export function whyNoWebhookUrl(text: string, rules: WebhookRules): string | null {
  const url = URL.parse(text)
  if (!url || url.href.length > DESTINATION_TARGET_CHARS_MAX) return 'must be a URL'
  const host = hostOf(url)
  const isPlain = url.protocol === 'http:' && rules.webhookPlainHosts.some((plain) => bare(plain) === host)
  if (url.protocol !== 'https:' && !isPlain) return 'must begin with https://'
  if (url.username !== '' || url.password !== '') return 'must hold no user name and no password'
  if (url.hash !== '') return 'must have no fragment'
  if (!isHostAllowed(host, rules)) return 'names a host that the operator of this installation does not allow'
  const forbidden =
    isIP(host) === 0 ? null : createAddressPolicy(rules.webhookPrivateAddresses).whyForbidden(host)
  return forbidden === null ? null : 'names an address that may not be reached from here'
}

const bare = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')
