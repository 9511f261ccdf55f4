/**
 * Who may ask the gate's own host. Gated hosts are same-site with it and run the scripts of applications under attack, so the
 * cookie of a session says nothing of whose page asks. A browser says it: by `Origin`, or by `Sec-Fetch-Site`, which no
 * script can set.
 */
import { GATE_API_PATH } from '@sallyport/contract/words'
import { type Exchange, refuse, type Verdict } from '../exchange/exchange.ts'
import { headerOf } from '../exchange/request-headers.ts'
import { nothingHere } from './json-call.ts'

/**
 * Refuses what no page of the gate asks for. A request that brings a key in `Sallyport-Key` is judged by that key alone: no
 * page of another origin can send the header without asking first (Fetch, CORS-preflight), and that is never granted.
 */
export function judgeCaller({ request, snapshot }: Exchange): Verdict {
  if (!request.target.startsWith(GATE_API_PATH)) return nothingHere()
  if (request.key !== '') return null
  const origin = headerOf(request, 'origin')
  const isOwn =
    origin === '' ? headerOf(request, 'sec-fetch-site') === 'same-origin' : origin === snapshot.gate?.origin
  return isOwn ? null : refuse(403, 'gate', 'foreign_page')
}
