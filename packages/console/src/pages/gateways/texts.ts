import type { ReactNode } from 'react'
import { phrase } from '../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  makeAToken: 'Make a token',
  onTheGatewaysMachine: "On the gateway's machine, with its settings, before it runs",
  nameOfTheGateway: 'Name of the gateway',
  nameOfTheGatewayHint:
    'Only for one that was enrolled or revoked before: its earlier credential ends. Empty: any new one.',
  isRevoked: (gateway: string) => `${gateway} is revoked.`,
  revokeGateway: 'Revoke gateway',
  revokeThisGateway: 'Revoke this gateway?',
  revokeOf: (gateway: string) => `Revoke ${gateway}`,
  revoke: 'Revoke',
  revokeThisGatewayBody: (name: ReactNode) =>
    phrase`${name} is refused everywhere within a second, and what it has recorded and not delivered is not taken. It serves until its lease is over. To let it in again, enrol it by its name. It is written to the audit log.`,

  itsOwnCredential: 'its own credential',
  theSharedToken: 'the shared token',
  serving: 'Serving',
  silent: 'Silent',
  leaseExpired: 'Lease expired',
  gateways: 'Gateways',
  gatewaysLead:
    'Which settings each gateway runs, and how long it may serve your sites without hearing from the control plane.',
  enrolAGateway: 'Enrol a gateway',
  noGatewayYet: 'No gateway yet',
  noGatewayYetBody: 'A gateway is listed here as soon as it has reached the control plane.',
  yourLastChangeMay: 'Your last change may not be in force everywhere yet.',
  isNotHeard: (gateway: string, servesUntil: ReactNode) =>
    phrase`${gateway} is silent and has not confirmed it. If it still runs, it may serve your sites as they were ${servesUntil}.`,
  forEver: 'for ever',
  until: (mayServeUntil: string) => `until ${mayServeUntil}`,
  gateway: 'Gateway',
  versionUnknown: 'version unknown',
  state: 'State',
  yourLastChange: 'Your last change',
  confirmed: 'Confirmed',
  notConfirmed: 'Not confirmed',
  revision: 'Revision',
  behind: (lag: number) => `${lag} behind`,
  lastSeen: 'Last seen',
  mayServe: 'May serve',
  authenticatesWith: 'Authenticates with',
  yourOrigins: 'Your origins',
  nothing: 'nothing',
  renewedAutomatically: 'renewed automatically',
  healthy: (healthy: number) => `${healthy} healthy`,
  failing: (failing: number) => `${failing} failing`,
  outOfReach: (open: number) => `${open} out of reach`,
  noneTried: 'none tried',
  actions: 'Actions',
  isForgotten: (gateway: string) => `${gateway} is forgotten.`,
  forgetGateway: 'Forget gateway',
  forgetThisGateway: 'Forget this gateway?',
  forgetOf: (gateway: string) => `Forget ${gateway}`,
  forget: 'Forget',
  theLeaseOf: (name: ReactNode) => phrase`The lease of ${name} is over: it serves nothing of yours.`,
  youSayThatDoes: (name: ReactNode, servesUntil: ReactNode) =>
    phrase`You say that ${name} does not run any more. Nothing is sent to it: if it still runs, it may serve your sites as they were ${servesUntil}, while the console calls them closed.`,
  forgetThisGatewayBody: (part: ReactNode) =>
    phrase`${part} If it reports again, it is listed again. This is written to the audit log.`,
}
