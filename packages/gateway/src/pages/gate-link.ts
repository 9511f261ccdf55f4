/**
 * The way from a refusal to the gate's own host, where a researcher reads who opened the site, its rules with their notes, and what became of
 * each of their requests. A refusal stands on the web origin of an application under attack: nothing of the gate is on it but this way out.
 */
import { GATE_SITES_PATH, type Reason } from '@sallyport/contract/words'
import type { Exchange } from '../exchange/exchange.ts'

/** What follows it is the id of a request, in the fragment, which no server is sent. */
const REQUEST_FRAGMENT = '#request-'

/** A researcher who reads one of these may not know that there is such a site. */
const OF_NO_SITE: ReadonlySet<Reason> = new Set(['site_closed', 'unknown_host', 'researcher_not_listed'])

/** A way on from a page: its address, and what it is called. */
export type PageLink = readonly [address: string, words: string]

/**
 * Where the refused request is told of in full; of strangers the front page, which is the same under every name. None where there is no
 * such host, and where the request came by the proxy port or for that host itself, from which it cannot be opened or need not be.
 */
export function gateLinks(
  { request, snapshot, site, researcher, event }: Exchange,
  reason: Reason,
): PageLink[] {
  const { gate } = snapshot
  if (!gate || request.isProxied || request.host === gate.host) return []
  if (!site || !researcher || OF_NO_SITE.has(reason)) return [[`${gate.origin}/`, 'About this gate']]
  const path = GATE_SITES_PATH + encodeURIComponent(site.config.id)
  return [
    [gate.origin + path + REQUEST_FRAGMENT + event.id, 'Whose site this is, its rules, and this request'],
  ]
}
