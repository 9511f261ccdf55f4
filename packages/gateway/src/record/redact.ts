/** Removes what a site does not want in its record before the journal sees it. */
import { createHmac } from 'node:crypto'
import type { EventDraft, FirewallHit, RedactionSettings } from '@sallyport/contract'
import { EXCERPT_CHARS_MAX, TARGET_CHARS_MAX } from '@sallyport/contract/words'
import { sealKeyOf } from '../snapshot/seal-keys.ts'
import type { CompiledSite, Snapshot } from '../snapshot/snapshot.ts'
import { maskKeys, maskLinks } from './mask-links.ts'

const MASK = '***'
const HASH_HEX_CHARS = 16

/** The parts of an event that a site may want redacted. */
export type Redactable = Pick<EventDraft, 'target' | 'clientAddress' | 'userAgent'>
/** The parts of an event that its site decides about. */
type OfSite = Redactable & Pick<EventDraft, 'path' | 'route'>

/**
 * Takes out of a record, in place, what its site does not want kept. Once, before the record first reaches the journal. A mask may be longer
 * than what it hides, and the record has its bounds.
 * Hashes of addresses are keyed with a secret of the organization, so the record alone does not reveal an address.
 */
export function redact(event: Redactable, site: CompiledSite, snapshot: Snapshot): void {
  const settings = site.config.redaction
  if (settings.queryValues === 'mask') event.target = maskQueryValues(event.target).slice(0, TARGET_CHARS_MAX)
  if (settings.userAgent === 'drop') event.userAgent = ''
  if (settings.clientAddress === 'drop') event.clientAddress = ''
  else if (settings.clientAddress === 'hash')
    event.clientAddress = hashAddress(event.clientAddress, sealKeyOf(snapshot, site.config.orgId))
}

/**
 * Ends what a record says by its site: the template of the path, where the site's API has one, and without what is not to be kept. What
 * is under no site stays as it is. An answer to a stranger goes out before it, or the time that this takes would tell a name that some site has.
 */
export function finishForSite({ site, snapshot, event }: Filed): void {
  if (!site) return
  event.route = site.templateOf(event.path) ?? event.route
  redact(event, site, snapshot)
}

/** A record with the site that it is filed under. */
interface Filed {
  readonly event: OfSite
  readonly site: CompiledSite | null
  readonly snapshot: Snapshot
}

/**
 * Firewall hits whose excerpt shows nothing that the site does not want kept. They are found before and after the rest is
 * redacted (a body is inspected while it is forwarded), so the firewall's stage redacts them here each time.
 */
export function redactHits(hits: readonly FirewallHit[], settings: RedactionSettings): FirewallHit[] {
  return hits.map((hit) => ({
    ...hit,
    // A key that was pasted without a name is one.
    parameter: maskKeys(hit.parameter),
    excerpt: showsRedacted(hit, settings) ? MASK : maskLinks(hit.excerpt).slice(0, EXCERPT_CHARS_MAX),
  }))
}

const showsRedacted = ({ part, parameter }: FirewallHit, settings: RedactionSettings): boolean =>
  (settings.queryValues === 'mask' && (part === 'query' || part === 'target')) ||
  (settings.userAgent === 'drop' && part === 'header' && parameter.toLowerCase() === 'user-agent')

/** A target with each value of its query replaced; names, and the order of everything, stay. */
export function maskQueryValues(target: string): string {
  const start = target.indexOf('?')
  if (start === -1) return target
  const query = target.slice(start + 1).replace(/=[^&]*/g, `=${MASK}`)
  return `${target.slice(0, start)}?${query}`
}

/** The same address gives the same hash as long as the organization's key is the same. */
const hashAddress = (address: string, key: string): string =>
  address === '' || key === ''
    ? ''
    : createHmac('sha256', key).update(address).digest('hex').slice(0, HASH_HEX_CHARS)
