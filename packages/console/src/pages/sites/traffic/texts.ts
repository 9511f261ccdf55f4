import type { ReactNode } from 'react'
import { wholeNumber } from '../../../language/number.ts'
import { phrase } from '../../../language/phrase.ts'
import { counted } from '../../../language/plural.ts'

/** The words of this folder, in English. */
export const texts = {
  hostsOutsideTheGate: 'Hosts outside the gate',
  hostsOutsideTheGateHint:
    'Responses sent browsers to these hosts in the last 7 days. What browsers do there is neither inspected nor recorded.',
  andAtLeastFurtherHosts: (hosts: boolean, further: number) =>
    `And ${hosts ? 'at least ' : ''}${wholeNumber(further)} further hosts.`,
  answersLead: (count: number) => counted(count, { one: 'answer leads', other: 'answers lead' }),
  to: (link: ReactNode, words: ReactNode, standing: ReactNode) => phrase`${link} to ${words}, ${standing}`,
  whichIsBehind: (link: ReactNode) =>
    phrase`which is behind the gate as ${link} and named by its own name here.`,
  putItThere: 'Put it there',
  whichIsNotBehind: (link: ReactNode) => phrase`which is not behind the gate. ${link}`,

  byUrl: 'By URL',
  noUrlsRequestedYet: 'No URLs requested yet',
  trafficByUrl: 'Traffic by URL',
  url: 'URL',
  requests: 'Requests',
  refused: 'Refused',
  status4xx: '4xx',
  status5xx: '5xx',
  median: 'Median',
  percentile99: 'p99',
  responseSize: 'Response size',
  researchers: 'Researchers',
  firewallHits: 'Firewall hits',
  lastSeen: 'Last seen',

  last24Hours: 'Last 24 hours',
  all: 'All',
  bucketsRequests: (buckets: string) => `${buckets} requests`,
  requestsOfOver: (gatedName: string) => `Requests of ${gatedName} over the last 24 hours`,
  noRequestsIn: 'No requests in the last 24 hours',
}
