/** Which gateways the installation lets in. */
import { GATEWAY_ID_FORM } from '@sallyport/contract'
import type { Database } from '../database/database.ts'
import {
  type IssuedEnrolmentToken,
  issueEnrolmentToken,
  revokeGateway,
  type TokenPurpose,
} from '../gateway-access/enrolment.ts'
import { ORGANIZATIONS_MAX } from '../gateway-access/gateway-scope.ts'
import { type EnrolledGateway, findUnknown, listEnrolled } from '../gateway-access/store.ts'
import type { ChangeInstallation } from './installation-log.ts'
import { OperatorRefusal } from './refusal.ts'

export interface GatewayActs {
  /**
   * Makes a token that enrols one gateway, once: the one that is named, or any that is not enrolled yet. It serves the organizations, and is
   * told of nothing else; null for all.
   */
  makeEnrolmentToken(purpose: TokenPurpose): Promise<IssuedEnrolmentToken>
  /** Those with credentials of their own, and those that had. */
  listEnrolledGateways(): Promise<EnrolledGateway[]>
  /** Lets a gateway in no more, within a second. */
  revokeGateway(gatewayId: string): Promise<void>
}

/** @param by who acts */
export const gatewayActs = (database: Database, change: ChangeInstallation, by: string): GatewayActs => ({
  makeEnrolmentToken: async ({ gatewayId, organizations }) => {
    if (gatewayId !== null && !GATEWAY_ID_FORM.test(gatewayId))
      throw new OperatorRefusal(
        'the name of a gateway is 1 to 64 letters, digits, dots, underscores and hyphens',
      )
    if (organizations && (organizations.length === 0 || organizations.length > ORGANIZATIONS_MAX))
      throw new OperatorRefusal(`a gateway serves all organizations, or 1 to ${ORGANIZATIONS_MAX} of them`)
    const named = organizations && [...new Set(organizations)]
    const [unknown] = named ? await database.readInstallation((tx) => findUnknown(tx, named)) : []
    if (unknown !== undefined) throw new OperatorRefusal(`no organization has the id ${unknown}`)
    return change((tx) => issueEnrolmentToken(tx, { gatewayId, organizations: named }, by))
  },
  listEnrolledGateways: () => database.readInstallation(listEnrolled),
  revokeGateway: async (gatewayId) => {
    if (!(await change((tx) => revokeGateway(tx, gatewayId))))
      throw new OperatorRefusal(`no gateway ${gatewayId} has a credential of its own that holds`)
  },
})
