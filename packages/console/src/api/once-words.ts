/** What the API answers once and never again: which operations do, and what it is called. */
import type { Output } from '@sallyport/client'
import type { OperationId } from '@sallyport/contract'

type Secret = readonly [label: string, value: string | null]

const LINK = 'Link to choose a password'
const INVITATION = 'Invitation, for one browser'
const SIGNING = 'Secret that verifies its messages'

const ONCE: { readonly [Id in OperationId]?: (made: Output<Id>) => readonly Secret[] } = {
  apiKeysCreate: ({ name, key }) => [[name, key]],
  apiKeysRotate: ({ name, key }) => [[name, key]],
  membersInvite: ({ invitation }) => [[LINK, invitation]],
  membersRenewInvitation: ({ invitation }) => [[LINK, invitation]],
  hackersCreate: ({ invitation, key }) => [
    [INVITATION, invitation],
    ['Key, for tools', key],
  ],
  hackersInvite: ({ invitation }) => [[INVITATION, invitation]],
  hackersRotateKey: ({ key }) => [['New key', key]],
  gatewaysEnroll: ({ token }) => [['Token, for a quarter of an hour', token]],
  destinationsCreate: ({ secret }) => [[SIGNING, secret]],
  destinationsRotate: ({ secret }) => [[SIGNING, secret]],
}

/** The secrets in an answer that is given only once. */
export const secretsIn = <Id extends OperationId>(id: Id, made: Output<Id>): readonly Secret[] =>
  ONCE[id]?.(made) ?? []
