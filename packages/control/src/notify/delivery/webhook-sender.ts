/**
 * Posts a message to a webhook. The URL is somebody else's data, and so is what answers: every address of its host is judged and
 * pinned, no redirect is followed, nothing of the answer is read but its head, within bounds, and nothing kept but its status.
 */
import type { ClientRequest, RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { DeliveryOutcome } from '@sallyport/contract'
import { createAddressPolicy } from '@sallyport/policy'
import { request as requestHttp } from '@sallyport/toolbox/node-http'
import type { AddressesOf } from '../../outgoing/host-addresses.ts'
import { pinnedLookup } from '../../outgoing/pinned-lookup.ts'
import { signedHeaders, type WebhookKeys } from '../webhook-keys.ts'
import { hostOf, type WebhookRules, whyNoWebhookUrl } from '../webhook-url.ts'
import type { AttemptResult } from './attempt.ts'

export interface WebhookMessage {
  /** The same in every attempt and replay. */
  readonly id: string
  readonly body: string
}

export type SendWebhook = (
  orgId: string,
  url: string,
  keys: WebhookKeys,
  message: WebhookMessage,
) => Promise<AttemptResult>

export interface WebhookSenderDependencies {
  readonly addressesOf: AddressesOf
  readonly rules: WebhookRules
  readonly version: string
  readonly timeoutMs?: number
}

/** From the connection to the end of the answer's head. Less than the lease of a delivery. */
const TIMEOUT_MS = 15_000
const HEAD_BYTES_MAX = 8_192
const GONE = 410

export function createWebhookSender(dependencies: WebhookSenderDependencies): SendWebhook {
  const { addressesOf, rules, version, timeoutMs = TIMEOUT_MS } = dependencies
  const policy = createAddressPolicy(rules.webhookPrivateAddresses)
  return async (orgId, text, keys, message) => {
    // The operator's settings may be others than when it was written.
    const url = URL.parse(text)
    if (!url || whyNoWebhookUrl(text, rules) !== null) return failure('forbidden_host')
    const host = hostOf(url)
    const addresses = await addressesOf(orgId, host)
    if (addresses.length === 0) return failure('no_address')
    const { permitted } = policy.choose(addresses)
    if (permitted.length === 0) return failure('forbidden_address')
    const body = Buffer.from(message.body)
    const timestamp = Math.floor(Date.now() / 1_000)
    const options: RequestOptions = {
      method: 'POST',
      host,
      port: url.port,
      path: url.pathname + url.search,
      agent: false,
      lookup: pinnedLookup(permitted),
      headers: {
        host: url.host,
        'content-type': 'application/json',
        'content-length': body.length,
        'user-agent': `Sallyport/${version}`,
        connection: 'close',
        ...signedHeaders(keys, { id: message.id, timestamp, body: message.body }),
      },
      maxHeaderSize: HEAD_BYTES_MAX,
      signal: AbortSignal.timeout(timeoutMs),
    }
    return readStatus(url.protocol === 'https:' ? requestHttps(options) : requestHttp(options), body)
  }
}

/** Sends the body, and waits for the head of the answer alone. */
function readStatus(sent: ClientRequest, body: Buffer): Promise<AttemptResult> {
  return new Promise((resolve) => {
    sent.on('error', (error) => resolve(failure(outcomeOf(error))))
    sent.once('close', () => resolve(failure('unreachable')))
    sent.once('response', ({ statusCode: status = 0, headers }) => {
      resolve({
        outcome: outcomeOfStatus(status),
        status,
        retryAfterMs: retryAfterMs(headers['retry-after']),
      })
      sent.destroy()
    })
    sent.end(body)
  })
}

const failure = (outcome: DeliveryOutcome): AttemptResult => ({ outcome, status: 0 })

function outcomeOfStatus(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return 'accepted'
  if (status === GONE) return 'gone'
  return status >= 300 && status < 400 ? 'redirect' : 'refused'
}

const CERTIFICATE = /^(?:ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/

function outcomeOf(error: Error): DeliveryOutcome {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'timeout'
  return 'code' in error && CERTIFICATE.test(String(error.code)) ? 'tls' : 'unreachable'
}

/** `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3); 0 where there is none. */
function retryAfterMs(value: string | undefined): number {
  if (value === undefined) return 0
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}
