/** What the gateway asks the control plane for besides its feed: the one thing that it does not hold itself. */
import {
  type CredentialsReveal,
  REVEAL_PATH,
  type ResearcherPageCredentials,
} from '@sallyport/contract/words'
import { sendToControl } from './control-request.ts'
import type { Exchange } from './exchange.ts'

const TIMEOUT_MS = 5_000

/** Makes the call by which a researcher sees the credentials of a site. Null where there are none, or no answer. */
export function createCredentialsReveal(
  controlUrl: string,
  gatewayToken: string,
  gatewayId: string,
): (exchange: Exchange) => Promise<string | null> {
  return async ({ event }) => {
    const reveal: CredentialsReveal = {
      gatewayId,
      siteId: event.siteId,
      researcherId: event.researcherId,
      requestId: event.id,
    }
    try {
      const { status, text } = await sendToControl(new URL(REVEAL_PATH, controlUrl), {
        gatewayToken,
        type: 'application/json',
        body: [Buffer.from(JSON.stringify(reveal))],
        silenceMaxMs: TIMEOUT_MS,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (status !== 200) return null
      // The control plane is ours, and answers 200 with this shape only.
      return (JSON.parse(text) as ResearcherPageCredentials).credentials
    } catch {
      return null
    }
  }
}
