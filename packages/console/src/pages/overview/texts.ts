import { wholeNumber } from '../../language/number.ts'
import { plural } from '../../language/plural.ts'

/** The words of this folder, in English. */
export const texts = {
  needsAttention: 'Needs attention',
  nothingNeedsAttention: 'Nothing needs attention',
  nothingNeedsAttentionBody:
    'Gateways, origins, site windows, access, rate limits and server errors after attacks are watched.',
  more: (left: number, kindWords: string) => `${wholeNumber(left)} more ${kindWords}`,
  yourRoleDoesNotShow: (withheld: string) => `Your role does not show ${withheld}.`,

  connecting: 'Connecting',
  live: 'Live',
  paused: 'Paused',
  reconnecting: 'Reconnecting',
  liveRequests: 'Live requests',
  watch: 'Watch',
  loadingRequests: 'Loading requests…',
  noRequestsYet: 'No requests yet',
  noRequestsYetBody: 'New requests appear here as they arrive.',
  stranger: 'Stranger',

  overview: 'Overview',
  requestsByOutcome: 'Requests by outcome',
  requestsByOutcomeHint: 'Drag over the chart to see its requests.',
  requestsOverTime: 'Requests over time',
  noRequestsInThisWindow: 'No requests in this window',
  inviteAResearcher: 'Invite a researcher',
  noRequestsInBody: 'Every request through the gate appears here within two seconds, including refused ones.',

  requests: 'Requests',
  refused: 'Refused',
  byTheFirewall: 'By the firewall',
  serverErrors: 'Server errors',
  researchersActive: 'Researchers active',
  sitesOpen: 'Sites open',
  of: (sites: number) => `of ${sites}`,

  originFailing: 'Origin failing',
  status5xxToAttacks: '5xx to attacks',
  status5xx: (serverErrors: number) => `${wholeNumber(serverErrors)} × 5xx`,
  windowEnds: 'Window ends',
  closed: 'Closed',
  refusedRefused: (refused: number) => `${wholeNumber(refused)} refused`,
  goneQuiet: 'Gone quiet',
  trafficSurge: 'Traffic surge',
  firstTraffic: 'First traffic',
  sitesThatStandOut: 'Sites that stand out',
  allSites: 'All sites',
  noSiteStandsOut: 'No site stands out',
  moreThatStandOut: (more: number) => `${wholeNumber(more)} more that stand out`,
  otherSiteSitesAsUsual: (items: boolean, others: number) =>
    `${items ? ' other' : ''} ${plural(others, { one: 'site', other: 'sites' })} as usual`,

  mostActiveResearchers: 'Most active researchers',
  strangers: 'Strangers',
  firewallRulesThatMatchedMost: 'Firewall rules that matched most',
  noRulesMatched: 'No rules matched in this window',
  viewAll: 'View all',
}
