/**
 * The way of a browser into a gated host: away to the gate's own host and back with a code. Everything that a gated host
 * serves can be faked by a service worker of its application, so nothing secret is typed or shown here: under `/.sallyport/`
 * of a gated host are these few ways out and in, and nothing else.
 */
import {
  GATE_SIGN_IN_PATH,
  GATE_SITES_PATH,
  GATED_ENTER_PATH,
  GATED_NONCE_PATH,
  GATED_OWN_PATH,
  GATED_SIGN_IN_PATH,
  type GatedNonce,
  type ResearcherConfig,
} from '@sallyport/contract/words'
import { whyResearcherRefused } from '@sallyport/policy'
import { isKeyOf, type Recognizer } from '../../credentials/recognize.ts'
import { gatedPlaceOf, sessionCookie } from '../../credentials/session.ts'
import {
  isInTime,
  issueNonce,
  noNonceCookie,
  nonceHashOf,
  openCode,
  type RedeemCode,
  type SignInCode,
} from '../../credentials/sign-in-code.ts'
import { returnPathOf } from '../../credentials/sign-in-path.ts'
import { type Exchange, type Reply, refuse, type Stage, type Verdict } from '../../exchange/exchange.ts'
import { headerOf, isForDocument } from '../../exchange/request-headers.ts'
import type { GateAddress } from '../../snapshot/gate-address.ts'
import { openByAny, sealKeyOf, sealKeysAt } from '../../snapshot/seal-keys.ts'
import type { CompiledSite } from '../../snapshot/snapshot.ts'

/** Where invitation links of before the gate's own host lead. They still lie in people's mail. */
const EARLIER_INVITATION_PATH = '/.sallyport/invite'
const EARLIER_INVITATION =
  'This invitation link was made by an earlier version of the gate, and is not valid any more. Ask the organization for a new one.'

/** Makes the stage. `recognize` knows sessions of gated hosts, `redeem` takes each code once. */
export function createSignInStage(recognize: Recognizer, redeem: RedeemCode): Stage {
  return (exchange) => {
    const { request, snapshot } = exchange
    const { gate } = snapshot
    if (!request.target.startsWith(GATED_OWN_PATH) || request.method !== 'GET' || !gate) return null
    const [path = '', query = ''] = request.target.split('?', 2)
    if (path === GATED_NONCE_PATH) return sayNonce(exchange, gate, recognize)
    if (!isForDocument(request)) return null
    if (path === GATED_SIGN_IN_PATH)
      return leave(request.host, gate, new URLSearchParams(query).get('to') ?? '/')
    if (path === GATED_ENTER_PATH) {
      const code = new URLSearchParams(query).get('code') ?? ''
      return enter(exchange, { gate, code, recognize, redeem })
    }
    if (path === EARLIER_INVITATION_PATH)
      return refuse(404, 'gate', 'unknown_credential', { detail: EARLIER_INVITATION })
    return path === GATED_OWN_PATH && request.accept.includes('text/html')
      ? lead(pageAt(exchange, gate, recognize))
      : null
  }
}

/** The page of this site has its own place, for whoever remembers that it was here. Strangers are not told its id. */
function pageAt(exchange: Exchange, gate: GateAddress, recognize: Recognizer): string {
  const { site } = exchange
  return site && recognize(exchange)?.researcher.orgId === site.config.orgId
    ? `${gate.origin}${GATE_SITES_PATH}${site.config.id}`
    : `${gate.origin}/`
}

/** To the gate's own host, with a nonce left behind by which the browser is known again. Under a name that no site has, too. */
function leave(gatedName: string, gate: GateAddress, to: string): Reply {
  const { hash, cookie } = issueNonce()
  return lead(signInAt(gate, gatedName, hash, to), cookie)
}

function signInAt(gate: GateAddress, gatedName: string, nonceHash: string, to: string): string {
  const host = gate.authorityOf(gatedName)
  const query = new URLSearchParams({ host, nonce: nonceHash, to: returnPathOf(to) })
  return `${gate.origin}${GATE_SIGN_IN_PATH}?${query}`
}

/**
 * Tells the gate's own page, and no other, which browser this is. The page asks across origins, so that no service worker of
 * this host can answer in our place.
 */
function sayNonce(exchange: Exchange, gate: GateAddress, recognize: Recognizer): Reply | null {
  const { request, site } = exchange
  if (headerOf(request, 'origin') !== gate.origin) return null
  const researcher = recognize(exchange)?.researcher
  const said: GatedNonce = {
    nonce: nonceHashOf(request.cookies),
    researcherId: researcher && researcher.orgId === site?.config.orgId ? researcher.id : '',
    // Where the gate domain is a public suffix.
    isThirdParty: headerOf(request, 'sec-fetch-site') === 'cross-site',
  }
  return {
    kind: 'reply',
    status: 200,
    headers: [
      ...['Content-Type', 'application/json'],
      ...['Access-Control-Allow-Origin', gate.origin],
      ...['Access-Control-Allow-Credentials', 'true'],
      ...['Vary', 'Origin'],
      ...UNKEPT,
    ],
    body: JSON.stringify(said),
    recorded: false,
  }
}

interface Entry {
  readonly gate: GateAddress
  readonly code: string
  readonly recognize: Recognizer
  readonly redeem: RedeemCode
}

/** Back from the gate's own host: the code becomes a session, if it is this browser's. */
function enter(exchange: Exchange, entry: Entry): Verdict | Promise<Verdict> {
  const { gate, code, recognize, redeem } = entry
  const { request, snapshot, event, site } = exchange
  const gatedName = site?.config.gatedName ?? request.host
  // Under a name that no site has, too: a code may be long, and how long it takes would tell.
  const opened = openByAny(sealKeysAt(snapshot, site), (key) => openCode(gatedName, key, code))
  const researcher = opened && snapshot.researcher(opened.researcherId)
  if (
    !site ||
    !researcher ||
    researcher.orgId !== site.config.orgId ||
    researcher.sessionGeneration !== opened.generation ||
    !isKeyOf(researcher, opened.keyId) ||
    opened.nonceHash !== nonceHashOf(request.cookies) ||
    !isInTime(opened, event.time)
  )
    return refuse(403, 'gate', 'sign_in_lapsed')
  const before = recognize(exchange)?.researcher.id ?? researcher.id
  // Another researcher signed in here after the gate's page had looked: it asks.
  if (before !== researcher.id && !opened.replace)
    return lead(signInAt(gate, gatedName, opened.nonceHash, opened.to))
  const redeemed = redeem({ id: opened.id, issuedAt: opened.issuedAt }, event.time)
  return redeemed instanceof Promise
    ? redeemed.then((isFirst) => begin(exchange, gate, { site, opened, researcher, isFirst }))
    : begin(exchange, gate, { site, opened, researcher, isFirst: redeemed })
}

interface Redeemed {
  readonly site: CompiledSite
  readonly opened: SignInCode
  readonly researcher: ResearcherConfig
  readonly isFirst: boolean
}

/** The session, unless the code was taken before. */
function begin(
  { snapshot, event }: Exchange,
  gate: GateAddress,
  { site, opened, researcher, isFirst }: Redeemed,
): Verdict {
  const key = sealKeyOf(snapshot, researcher.orgId)
  if (!isFirst || key === '') return refuse(403, 'gate', 'sign_in_lapsed')
  event.researcherId = researcher.id
  event.credential = 'session'
  const reason = whyResearcherRefused(researcher, site, event.time)
  if (reason) return refuse(403, 'gate', reason)
  const cookie = sessionCookie(gatedPlaceOf(site.config), key, researcher, opened.keyId)
  const location = gate.urlOf(site.config.gatedName) + returnPathOf(opened.to)
  return { ...lead(location, cookie, noNonceCookie()), recorded: true }
}

const UNKEPT = [
  ...['Cache-Control', 'no-store'],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'no-referrer'],
]

const lead = (location: string, ...cookies: readonly string[]): Reply => ({
  kind: 'reply',
  status: 303,
  headers: [...['Location', location], ...cookies.flatMap((cookie) => ['Set-Cookie', cookie]), ...UNKEPT],
  body: '',
  recorded: false,
})
