/** What needs attention, as items: of states and sightings that were noted, and of the record of traffic. */
import { ATTENTION, type AttentionItem, type AttentionKind } from '@sallyport/contract'
import type { RecordedErrors, RecordedLimit } from '../../traffic-store/rows/recorded-situation.ts'
import type { NewSighting, NotedState, NotedStateKind } from './store.ts'

/** The names of what items are about; what has none is gone, and needs nobody's attention. */
export interface AttentionNames {
  readonly sites: ReadonlyMap<string, string>
  readonly researchers: ReadonlyMap<string, string>
}

const STATE_KINDS: Readonly<Record<NotedStateKind, AttentionKind>> = {
  window: 'window_ending',
  expiring: 'access_ending',
  apiKey: 'api_key_ending',
  silent: 'gateway_silent',
  behind: 'gateway_behind',
  journal: 'gateway_journal_filling',
  origin: 'origin_failing',
}
const SIGHTING_KINDS = { address: 'new_address', tool: 'new_tool' } as const

export const kindOfState = (kind: NotedStateKind): AttentionKind => STATE_KINDS[kind]
export const kindOfSighting = (kind: NewSighting['kind']): AttentionKind => SIGHTING_KINDS[kind]

const item = (kind: AttentionKind, facts: Partial<AttentionItem>): AttentionItem => ({
  kind,
  severity: ATTENTION[kind].severity,
  since: null,
  lastSeen: null,
  ends: null,
  site: null,
  researcher: null,
  gateway: null,
  apiKey: null,
  value: '',
  route: '',
  status: null,
  count: null,
  researchers: null,
  ...facts,
})

/** A state that was noted; nothing where what it is about is gone. */
export function itemOfState(
  { kind, subject, since, data }: NotedState,
  names: AttentionNames,
): AttentionItem[] {
  const of = (facts: Partial<AttentionItem>): AttentionItem[] => [
    item(STATE_KINDS[kind], { since, ...facts }),
  ]
  switch (kind) {
    case 'window':
    case 'origin': {
      const site = named(subject, names.sites)
      if (!site) return []
      return kind === 'window'
        ? of({ site, ends: instantIn(data.closes) })
        : of({ site, value: textIn(data.reason) })
    }
    case 'expiring': {
      const researcher = named(subject, names.researchers)
      return researcher ? of({ researcher, ends: instantIn(data.expires) }) : []
    }
    case 'apiKey':
      return of({ apiKey: { id: subject, name: nameIn(data.apiKey) }, ends: instantIn(data.expires) })
    case 'silent': {
      const lastSeen = instantIn(data.lastSeen)
      return of({ gateway: subject, since: lastSeen ?? since, lastSeen })
    }
    case 'behind':
    case 'journal':
      return of({ gateway: subject })
  }
}

/** Tools or networks that are new of a researcher. */
export function itemOfSighting(
  { kind, subject, newest, first, last, count }: NewSighting,
  names: AttentionNames,
): AttentionItem[] {
  const researcher = named(subject, names.researchers)
  return researcher
    ? [item(SIGHTING_KINDS[kind], { since: first, lastSeen: last, researcher, value: newest, count })]
    : []
}

export const itemOfLimit = (limit: RecordedLimit, names: AttentionNames): AttentionItem =>
  item('limit_exhausted', {
    lastSeen: instant(limit.lastMs),
    site: named(limit.siteId, names.sites),
    researcher: limit.researchers === 1 ? named(limit.researcherId, names.researchers) : null,
    value: limit.policy,
    count: limit.refused,
    researchers: limit.researchers,
  })

export const itemOfErrors = (errors: RecordedErrors, names: AttentionNames): AttentionItem =>
  item('origin_error_after_hit', {
    since: instant(errors.firstMs),
    lastSeen: instant(errors.lastMs),
    site: named(errors.siteId, names.sites),
    researcher: errors.researchers === 1 ? named(errors.researcherId, names.researchers) : null,
    value: errors.class,
    route: errors.route,
    status: errors.status,
    count: errors.requests,
    researchers: errors.researchers,
  })

function named(id: string, names: ReadonlyMap<string, string>): { id: string; name: string } | null {
  const name = names.get(id)
  return name === undefined ? null : { id, name }
}

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString()

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

const instantIn = (value: unknown): string | null => {
  const milliseconds = Date.parse(textIn(value))
  return Number.isNaN(milliseconds) ? null : instant(milliseconds)
}

const nameIn = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'name' in value ? textIn(value.name) : ''
