/** What the API answers once and never again: which operations do, and what it is called. */
import type { Output } from '@sallyport/client'
import type { OperationId } from '@sallyport/contract'

type Secret = readonly [label: string, value: string | null]

/** What each of them is called, where it is shown at once and where it is shown again. */
export const secretLabels = {
  invitation: 'Invitation, for one browser',
  keyForTools: 'Key, for tools',
  newKey: 'New key',
  passwordLink: 'Link to choose a password',
  enrolmentToken: 'Token, for a quarter of an hour',
  signingSecret: 'Secret that verifies its messages',
}

const ONCE: { readonly [Id in OperationId]?: (made: Output<Id>) => readonly Secret[] } = {
  apiKeysCreate: ({ name, key }) => [[name, key]],
  apiKeysRotate: ({ name, key }) => [[name, key]],
  membersInvite: ({ invitation }) => [[secretLabels.passwordLink, invitation]],
  membersRenewInvitation: ({ invitation }) => [[secretLabels.passwordLink, invitation]],
  hackersCreate: ({ invitation, key }) => [
    [secretLabels.invitation, invitation],
    [secretLabels.keyForTools, key],
  ],
  hackersInvite: ({ invitation }) => [[secretLabels.invitation, invitation]],
  hackersRotateKey: ({ key }) => [[secretLabels.newKey, key]],
  gatewaysEnroll: ({ token }) => [[secretLabels.enrolmentToken, token]],
  destinationsCreate: ({ secret }) => [[secretLabels.signingSecret, secret]],
  destinationsRotate: ({ secret }) => [[secretLabels.signingSecret, secret]],
}

/** The secrets in an answer that is given only once. */
export const secretsIn = <Id extends OperationId>(id: Id, made: Output<Id>): readonly Secret[] =>
  ONCE[id]?.(made) ?? []
