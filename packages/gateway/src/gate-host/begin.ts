/** What holds for every request to the gate's own host, and for whatever is answered to it. */
import { type EventDraft, TARGET_CHARS_MAX } from '@sallyport/contract/words'
import type { Exchange } from '../exchange/exchange.ts'
import { describeTarget } from '../record/describe.ts'
import { maskGateTarget } from '../record/mask-links.ts'

/** On every answer, refusals too: no other origin opens, embeds or reads any of it. */
const HEADERS: readonly string[] = [
  ...['Cross-Origin-Opener-Policy', 'same-origin'],
  ...['Cross-Origin-Resource-Policy', 'same-origin'],
  ...['Origin-Agent-Cluster', '?1'],
]

/** Keys are typed in here: who has been here by TLS once is never here without it again (RFC 6797), whatever they typed. */
const TLS_ONLY = ['Strict-Transport-Security', 'max-age=31536000']

/** Begins an exchange of the gate's own host. */
export function beginGateHost({ event, request, snapshot, responseHeaders }: Exchange): void {
  responseHeaders.push(...HEADERS)
  if (snapshot.gate?.origin.startsWith('https:')) responseHeaders.push(...TLS_ONLY)
  describeGateTarget(event, request.target)
}

/** Nothing but the path of what was asked for is recorded: what stands behind it leads somebody in. */
export function describeGateTarget(event: EventDraft, target: string): void {
  event.target = maskGateTarget(target).slice(0, TARGET_CHARS_MAX)
  Object.assign(event, describeTarget(event.target))
}
