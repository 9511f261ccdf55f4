/** Who sends requests, asked by every part that wants to know: also of those that go no further, whoever sends them. */
import type { Exchange } from '../exchange/exchange.ts'
import { createRecognizer, noteResearcher, type Recognizer } from './recognize.ts'
import { GATE_SESSION, gatedPlaceOf } from './session.ts'

/** The recognizers of a gateway, shared by all who ask. */
export interface Recognizers {
  /** Of keys, and of sessions of gated hosts and groups of them. */
  readonly gated: Recognizer
  /** Of keys, and of sessions of the gate's own host. */
  readonly gate: Recognizer
}

/** Makes them. */
export const createRecognizers = (): Recognizers => ({
  gated: createRecognizer(({ request, site }) => gatedPlaceOf(site?.config ?? { gatedName: request.host })),
  gate: createRecognizer(({ request }) => ({ kind: GATE_SESSION, host: request.host })),
})

/**
 * Notes on an exchange and its record who sent a request that is refused whoever sent it: no one but a researcher of the
 * organization of its site, and where it is for no site, whoever it is.
 */
export function noteCaller(exchange: Exchange, recognize: Recognizer): void {
  const found = recognize(exchange)
  const { orgId } = exchange.event
  if (found && (orgId === '' || orgId === found.researcher.orgId)) noteResearcher(exchange, found)
}
