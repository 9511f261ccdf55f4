import type { ReactNode } from 'react'
import { phrase } from '../../../language/phrase.ts'
import { counted } from '../../../language/plural.ts'

/** The words of this folder, in English. */
export const texts = {
  anyState: 'Any state',
  allDestinations: 'All destinations',
  deliveries: 'Deliveries',
  deliveriesHint:
    'Kept for 30 days. A failed delivery is retried under the same id for more than three days.',
  destination: 'Destination',
  state: 'State',
  refresh: 'Refresh',
  noDeliveries: 'No deliveries',
  what: 'What',
  to: 'To',
  attempts: 'Attempts',
  next: (attempts: number, time: ReactNode) => phrase`${attempts}, next ${time}`,
  nextSoon: (attempts: number) => `${attempts}, next within a minute`,
  sendAgain: 'Send again',
  itIsSentAgain: 'It is sent again.',
  sendAgainType: (type: string) => `Send again: ${type}`,

  change: (name: string) => `Change ${name}`,
  sendATest: 'Send a test',
  confirmTheAddress: 'Confirm the address',
  disable: 'Disable',
  enable: 'Enable',
  changeItsEvents: 'Change its events',
  rotateTheKey: 'Rotate the key',
  remove: 'Remove',
  rotateTheKeyQuestion: 'Rotate the key?',
  rotateKey: 'Rotate key',
  rotateTheKeyBody: (name: ReactNode) =>
    phrase`Messages to ${name} bear the signatures of both keys for a day, so that its receiver can change over.`,
  theNewKey: 'The new key',
  removeThisDestination: 'Remove this destination?',
  removeDestination: 'Remove destination',
  removeThisDestinationBody: (name: ReactNode) =>
    phrase`${name} is told nothing more, and what was told to it is not listed any more.`,
  aTestIs: 'A test is on its way.',
  isDisabledEnabled: (name: string, isEnabled: boolean) =>
    `${name} is ${isEnabled ? 'disabled' : 'enabled'}.`,
  isRemoved: (name: string) => `${name} is removed.`,
  code: 'Code',
  itWasSent: (target: string) => `It was sent to ${target}.`,
  confirm: 'Confirm',

  webhook: 'Webhook',
  emailAddress: 'E-mail address',
  sharedSecret: 'A shared secret (HMAC-SHA256)',
  publicKey: 'A public key (Ed25519)',
  add: 'Add',
  kind: 'Kind',
  name: 'Name',
  url: 'URL',
  address: 'Address',
  anHttpsUrl: 'An https URL at a public address',
  weSendIt: 'We send it a code that confirms the address.',
  signature: 'Signature',
  copyItNow: 'Copy it now: it is kept encrypted, to sign with, and not shown again.',
  publicKeyThatVerifies: 'Public key that verifies its messages',
  aCodeIs: (target: string) =>
    `A code is on its way to ${target}. Enter it under Change, Confirm the address; until then nothing is told to it.`,
  save: 'Save',
  events: 'Events',

  destinations: 'Destinations',
  destinationsHint:
    'Webhooks and e-mail addresses that are notified when a site opens or closes, an origin fails or a new kind of attack appears.',
  addADestination: 'Add a destination',
  noDestinationsYet: 'No destinations yet',
  noDestinationsYetBody: 'Add a webhook to notify your own systems, or an e-mail address to notify a person.',
  failingSince: (time: ReactNode) => phrase`failing since ${time}`,
  kinds: (types: number) => counted(types, { one: 'kind', other: 'kinds' }),
  actions: 'Actions',
}
