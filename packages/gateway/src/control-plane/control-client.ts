/** What a gateway asks the control plane for besides its feed: the few things that it does not hold itself. */
import {
  type AcceptedInvitation,
  type CredentialsReveal,
  INVITATION_ACCEPTANCE_PATH,
  type InvitationAcceptance,
  REVEAL_PATH,
  type ResearcherPageCredentials,
} from '@sallyport/contract/words'
import type { Exchange } from '../exchange/exchange.ts'
import { sendToControl } from './control-request.ts'
import type { ControlUrls } from './control-urls.ts'
import type { GatewayCredential } from './credential.ts'

const TIMEOUT_MS = 5_000

/** Where the control plane is, and who asks. */
export interface ControlAddress {
  readonly controlUrls: ControlUrls
  readonly credential: GatewayCredential
  readonly gatewayId: string
}

const ask = ({ controlUrls, credential }: ControlAddress, path: string, body: object) =>
  sendToControl(new URL(path, controlUrls.current), {
    gatewayToken: credential.current,
    type: 'application/json',
    body: [Buffer.from(JSON.stringify(body))],
    silenceMaxMs: TIMEOUT_MS,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })

/** Makes the call by which a researcher sees the credentials of a site. Null where there are none, or no answer. */
export function createCredentialsReveal(
  control: ControlAddress,
): (exchange: Exchange) => Promise<string | null> {
  return async ({ event }) => {
    const reveal: CredentialsReveal = {
      gatewayId: control.gatewayId,
      siteId: event.siteId,
      researcherId: event.researcherId,
      requestId: event.id,
    }
    try {
      const { status, text } = await ask(control, REVEAL_PATH, reveal)
      if (status !== 200) return null
      // The control plane is ours, and answers 200 with this shape only.
      return (JSON.parse(text) as ResearcherPageCredentials).credentials
    } catch {
      return null
    }
  }
}

/** `unknown`: there is no such invitation any more. `other`: it is another researcher's than the one to be kept. */
export type Acceptance = AcceptedInvitation | 'unknown' | 'other' | 'away'

/** Uses up an invitation. */
export type AcceptInvitation = (acceptance: Omit<InvitationAcceptance, 'gatewayId'>) => Promise<Acceptance>

const REFUSED: ReadonlyMap<number, Acceptance> = new Map([
  [404, 'unknown'],
  [409, 'other'],
])

/** Makes the call that uses an invitation up. Whatever is no answer to it is `away`: then nobody is signed in. */
export function createInvitationAcceptance(control: ControlAddress): AcceptInvitation {
  return async (given) => {
    const acceptance: InvitationAcceptance = { gatewayId: control.gatewayId, ...given }
    try {
      const { status, text } = await ask(control, INVITATION_ACCEPTANCE_PATH, acceptance)
      // The control plane is ours, and answers 200 with this shape only.
      return status === 200 ? (JSON.parse(text) as AcceptedInvitation) : (REFUSED.get(status) ?? 'away')
    } catch {
      return 'away'
    }
  }
}
