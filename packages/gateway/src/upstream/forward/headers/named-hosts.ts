/**
 * The hosts to which an answer leads a browser, and which of them are not behind the gate: what is done there is neither judged
 * nor recorded. They are an origin's words, so they are read as browsers read them, and few are kept of one answer.
 */
import { LEADS_TO_CHARS_MAX, LEADS_TO_MAX } from '@sallyport/contract/words'
import type { Exchange } from '../../../exchange/exchange.ts'

/** URLs of one answer that are looked at. */
const URLS_MAX = 256
/** One that stays on its host whatever the rest of it says: tabs are no part of a URL, and a backslash is a slash. */
const STAYS = /^(?:\/(?![/\\\t])|[?#]|$|[\w.~-]+(?:[/?#]|$))/
/** Whether a URL of an answer leads to the host that answers, for certain. */
export const staysOnHost = (url: string): boolean => STAYS.test(url)
const NOT_ASCII = /[\x80-\xff]/

const NONE: readonly string[] = []

/** The different hosts that URLs name, lower case, with a port that is not their scheme's; `base` is the address of the answer. */
export function hostsNamedBy(urls: readonly string[], base: string): readonly string[] {
  if (urls.every((url) => STAYS.test(url))) return NONE
  const hosts = new Set<string>()
  for (const url of urls.slice(0, URLS_MAX)) {
    const host = STAYS.test(url) ? '' : hostOf(url, base)
    if (host !== '') hosts.add(host.slice(0, LEADS_TO_CHARS_MAX))
    if (hosts.size === LEADS_TO_MAX) break
  }
  return [...hosts]
}

function hostOf(url: string, base: string): string {
  // Headers are read with a character for each byte, and browsers take bytes beyond ASCII for UTF-8.
  const text = NOT_ASCII.test(url) ? Buffer.from(url, 'latin1').toString() : url
  const parsed = URL.parse(text, base)
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') return ''
  return parsed.host
}

/** Notes on the record of an exchange which of the hosts are neither the gate's own nor those of its organization's sites. */
export function noteLeads({ event, request, snapshot }: Exchange, hosts: readonly string[]): void {
  const isBehindGate = (host: string): boolean => {
    const name = host.replace(/\.?(?::\d+)?$/, '')
    return (
      name === request.host ||
      name === snapshot.gate?.host ||
      snapshot.siteByHost(name)?.config.orgId === event.orgId
    )
  }
  const leading = hosts.filter((host) => !isBehindGate(host))
  if (leading.length > 0) event.leadsTo = [...new Set([...event.leadsTo, ...leading])].slice(0, LEADS_TO_MAX)
}
