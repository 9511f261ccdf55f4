/** What of an organization needs somebody's attention, as the situation and the console have it. */
import { keysOf } from '../../keys-of.ts'
import type { Permission } from '../../permissions.ts'
import type { Severity } from '../../traffic/values.ts'

interface AttentionKindFacts {
  readonly severity: Severity
  /** What a role needs to be told of it, beside the traffic. */
  readonly permission: Permission
  /** The one act that it leads to: the requests behind it, or the page of what it is about. */
  readonly leadsTo: 'requests' | 'site' | 'researcher' | 'gateways' | 'apiKeys'
  readonly meaning: string
}

/**
 * The kinds, each with what it leads to. Of the same severity the earlier comes first, so that the order of the table is the
 * order of the list.
 */
// biome-ignore format: a table
export const ATTENTION = {
  gateway_silent: { severity: 'critical', permission: 'gateways:read', leadsTo: 'gateways', meaning: 'A gateway is not heard of any more.' },
  origin_failing: { severity: 'critical', permission: 'sites:read', leadsTo: 'site', meaning: 'A gateway cannot get answers from the origin of a site; `value` is the refusal reason.' },
  origin_error_after_hit: { severity: 'high', permission: 'traffic:read', leadsTo: 'requests', meaning: 'The origin answered 5xx to requests in which the firewall found attacks of the class `value`.' },
  gateway_behind: { severity: 'high', permission: 'gateways:read', leadsTo: 'gateways', meaning: 'A gateway does not run the last change of the organization.' },
  gateway_journal_filling: { severity: 'high', permission: 'gateways:read', leadsTo: 'gateways', meaning: 'Records wait at a gateway, because it cannot deliver them.' },
  window_ending: { severity: 'medium', permission: 'sites:read', leadsTo: 'site', meaning: 'The window of an open site ends within a day.' },
  limit_exhausted: { severity: 'medium', permission: 'traffic:read', leadsTo: 'requests', meaning: 'The rate limit `value` refused requests.' },
  new_address: { severity: 'medium', permission: 'researchers:read', leadsTo: 'researcher', meaning: 'A researcher who was known came from networks that they had not come from before; `value` is the newest.' },
  access_ending: { severity: 'low', permission: 'researchers:read', leadsTo: 'researcher', meaning: 'The access of a researcher ends within a week.' },
  api_key_ending: { severity: 'low', permission: 'keys:read', leadsTo: 'apiKeys', meaning: 'An API key expires within a week.' },
  new_tool: { severity: 'low', permission: 'researchers:read', leadsTo: 'requests', meaning: 'A researcher who was known used tools that they had not used before; `value` is the newest.' },
} as const satisfies Readonly<Record<string, AttentionKindFacts>>

export type AttentionKind = keyof typeof ATTENTION
export const ATTENTION_KINDS = keysOf(ATTENTION)

/** Items in an answer, and those of one kind among them: what happens a hundred times hides nothing else. */
export const ATTENTION_ITEMS_MAX = 50
export const ATTENTION_OF_KIND_MAX = 10

/** Why a site stands among those that have something to say, the weightiest first. */
export const SITE_REMARKS = [
  'origin_failing',
  'error_after_hit',
  'server_errors',
  'window_ending',
  'closed',
  'refused',
  'quiet',
  'surge',
  'new_traffic',
] as const
export type SiteRemark = (typeof SITE_REMARKS)[number]

/** The windows of which the shortest that holds a request is shown where none was asked for. */
export const SITUATION_WINDOWS = ['now-1h', 'now-24h', 'now-7d', 'now-30d'] as const
export type SituationWindow = (typeof SITUATION_WINDOWS)[number]
