/**
 * What a refusal says: a plain page for browsers, an RFC 9457 problem document for tools. An admitted researcher is told
 * the reason and the rule. A stranger is told neither, nor anything about the origin, nor whether a name is published.
 */
import { REASONS, type Reason } from '@sallyport/contract/words'
import { STATUS_CODES } from '@sallyport/toolbox/node-http'
import { signInPath } from '../credentials/sign-in-path.ts'
import type { Exchange, Refusal } from '../exchange/exchange.ts'
import { gateLinks, type PageLink } from './gate-link.ts'
import { prefersHtml } from './prefers-html.ts'

export interface RefusalBody {
  readonly contentType: string
  readonly body: Buffer
}

/** The body for a refusal, as the client's `Accept` prefers it. */
export function refusalBody(exchange: Exchange, refusal: Refusal): RefusalBody {
  const reason = publicReason(refusal.reason)
  const detail = refusal.detail || REASONS[reason]
  const title = TITLES[reason] ?? STATUS_CODES[refusal.status] ?? 'Refused'
  const { id } = exchange.event
  if (!prefersHtml(exchange.request.accept)) {
    const rule = refusal.rule === '' ? {} : { rule: refusal.rule }
    const reading = refusal.reading === '' ? {} : { reading: refusal.reading }
    const problem = {
      type: 'about:blank',
      title,
      status: refusal.status,
      detail,
      reason,
      ...rule,
      ...reading,
      ...refusal.members,
    }
    const text = JSON.stringify({ ...problem, requestId: id })
    return { contentType: 'application/problem+json', body: Buffer.from(text) }
  }
  const facts = [
    ['Reason', reason],
    ...(refusal.rule === '' ? [] : [['Rule', refusal.rule]]),
    ...(refusal.reading === '' ? [] : [['Reading', refusal.reading]]),
    ...(refusal.retryAfterS > 0 ? [['Try again in', `${refusal.retryAfterS} s`]] : []),
    ['Request', id],
  ]
  return {
    contentType: 'text/html; charset=utf-8',
    body: Buffer.from(
      page(title, detail, facts, [...signInLinks(exchange, reason), ...gateLinks(exchange, reason)]),
    ),
  }
}

/** Where a person who is not signed in may begin to; none for everybody else, and where there is nothing to sign in to. */
const signInLinks = ({ snapshot: { gate }, request }: Exchange, reason: Reason): PageLink[] =>
  gate && request.host !== gate.host && !request.isAskedOfProxy && SIGNED_OUT.has(reason)
    ? [[signInPath(request.target), 'Sign in']]
    : []
const SIGNED_OUT: ReadonlySet<Reason> = new Set(['no_credential', 'unknown_credential', 'sign_in_lapsed'])

/** Whether a name is published is no business of strangers: an unknown one reads like a closed one. */
const publicReason = (reason: Reason): Reason => (reason === 'unknown_host' ? 'site_closed' : reason)

const TITLES: Partial<Record<Reason, string>> = {
  site_closed: 'Not open',
  no_credential: 'Invited researchers only',
  unknown_credential: 'Not recognized',
  sign_in_lapsed: 'Sign in again',
  nothing_here: 'Nothing here',
  foreign_page: 'Not from here',
  researcher_paused: 'Access paused',
  researcher_expired: 'Access expired',
  researcher_not_listed: 'Not on the list',
  access_ended: 'Access ended',
  block_rule: 'Blocked path',
  ambiguous_target: 'Ambiguous target',
  rate_limit: 'Rate limit reached',
  researcher_share: 'Your share is used up',
  firewall: 'Refused by the firewall',
  definition: 'Not as the API is defined',
  not_inspected: 'Could not be inspected',
  origin_unreachable: 'The origin is out of reach',
  origin_timeout: 'The origin did not answer',
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')

function page(
  title: string,
  detail: string,
  facts: readonly (readonly string[])[],
  links: readonly PageLink[],
): string {
  const rows = facts
    .map(([name = '', value = '']) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`)
    .join('')
  const ways = links
    .map(([address, words]) => `<p><a href="${escapeHtml(address)}">${escapeHtml(words)}</a></p>`)
    .join('')
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; background: Canvas; color: CanvasText }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto 0; padding: 0 1.5rem }
h1 { font-size: 1.5rem; margin: 0 0 .5rem }
a { color: inherit }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin-top: 1.5rem }
dd { margin: 0; font-family: ui-monospace, monospace; overflow-wrap: anywhere }
</style></head>
<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(detail)}</p>${ways}<dl>${rows}</dl></main></body>
</html>
`
}
