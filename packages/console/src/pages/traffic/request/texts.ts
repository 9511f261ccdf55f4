import type { ReactNode } from 'react'
import { wholeNumber } from '../../../language/number.ts'
import { phrase } from '../../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  websocketOpened: 'WebSocket opened',
  websocketClosed: 'WebSocket closed',
  noAnswer: 'no answer',
  requests: (requestCount: number) => `${wholeNumber(requestCount)} requests`,
  strangersCausedSoMany:
    'Strangers caused so many refusals that alike ones are counted together: what is missing here differed among them. Bytes are of all of them, times the mean of one, and the id is that of the first.',
  targetAsSent: 'Target as sent',
  whyItWasRefused: 'Why it was refused',
  seeTheBlockRules: 'See the block rules',
  rule: (words: ReactNode, link: ReactNode) => phrase`Rule: ${words} ${link}`,
  thePathFellUnder: (reading: string) => `The path fell under it when read as: ${reading}.`,

  theSiteHasNoFirewall: 'The site has no firewall.',
  notInspectedRefusedEarlier: 'Not inspected: refused earlier.',
  complete: 'Complete.',
  partialTheRequest: 'Partial: the request was larger than the limit of inspection.',
  time: 'Time',
  researcher: 'Researcher',
  credential: 'Credential',
  clientAddress: 'Client address',
  site: 'Site',
  pathAsRead: 'Path as read',
  route: 'Route',
  queryNames: 'Query names',
  tool: 'Tool',
  scanner: 'Scanner',
  userAgent: 'User agent',
  leadsOutsideTheGate: 'Leads outside the gate to',
  namesRewritten: 'Names rewritten',
  inspection: 'Inspection',
  gateway: 'Gateway',
  requestId: 'Request id',
  duration: 'Duration',
  timeToFirstByte: 'Time to first byte',
  requestResponseSize: 'Request, response size',
  messagesReceivedSent: 'Messages received, sent',
  protocol: 'Protocol',
  over: (tls: string) => ` over ${tls}`,
  notEncrypted: ', not encrypted',
  sure: (scannerPercent: number, scannerReason: string) => `${scannerPercent} % sure: ${scannerReason}`,
  aStrangerNoValid: 'A stranger: no valid key or session',

  clickToFilter: 'Click to filter by this value. Alt-click or Shift-click to exclude it.',

  requestLog: 'Request log',
  requestsNewestFirst: 'Requests, newest first',
  loadingRequests: 'Loading requests…',
  noRequests: 'No requests',
  noRequestsBody: 'No requests in this window match the filters.',
}
