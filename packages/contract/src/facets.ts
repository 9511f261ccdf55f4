/** Fields of a request whose values can be counted. `site`, `hacker` and the like are ids. */
export const FACETS = [
  'site',
  'hacker',
  'outcome',
  'reason',
  'rule',
  'method',
  'status',
  'route',
  'tool',
  'scannerReason',
  'address',
  'credential',
  'firewallRule',
  'firewallClass',
  'leadsTo',
] as const
export type Facet = (typeof FACETS)[number]
export const FACET_VALUES_MAX = 50
