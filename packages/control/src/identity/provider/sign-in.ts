/**
 * The steps of a sign-in, as answers to requests: which page, which status, where to go on. The library has begun the
 * sign-in and bound it to the browser by a signed cookie; it finishes it once it is given the account that signed in.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { EMAIL_CHARS_MAX, PASSWORD_CHARS_MAX } from '@sallyport/contract'
import type Provider from 'oidc-provider'
import { bindDependencies } from '../../http/bind-dependencies.ts'
import type { Cipher } from '../../secrets/cipher.ts'
import type { Accounts } from '../sign-in/accounts.ts'
import { SIGN_IN_WINDOW_MS } from '../sign-in/sign-in-limits.ts'
import type { ActiveMember } from '../store-members.ts'
import { SIGN_IN_PATH } from './configuration.ts'
import type { DeviceCookies } from './device-cookie.ts'
import type { HtmlPage } from './page.ts'
import { organizationPage, signInPage } from './pages.ts'

/** A request for one of our pages. */
export interface FormRequest {
  /** Shows the library its cookies. */
  readonly raw: IncomingMessage
  /** The `Cookie` header as the browser sent it. */
  readonly cookie: string | undefined
  readonly response: ServerResponse
  /** Fields of the form. */
  readonly form: Readonly<Record<string, string>>
  /** Address of the client. */
  readonly address: string
  readonly requestId: string
}

export type PageAnswer =
  | {
      readonly kind: 'page'
      readonly status: number
      readonly page: HtmlPage
      readonly retryAfterSeconds?: number
    }
  | { readonly kind: 'redirect'; readonly location: string; readonly cookie: string }

export interface SignInDeps {
  readonly provider: () => Promise<Provider>
  readonly accounts: Accounts
  readonly devices: DeviceCookies
  /** Seals what a form brings back. */
  readonly cipher: Cipher
}

const WRONG = 'The e-mail address or the password is not right.'
const LIMITED = `Too many attempts. Wait ${SIGN_IN_WINDOW_MS / 60_000} minutes, then try again.`
const PROOF_LIFETIME_MS = 5 * 60_000

/** The form again, with what is wrong. */
const signInForm = (uid: string, status: number, email: string, fault: string | null): PageAnswer => ({
  kind: 'page',
  status,
  page: signInPage({ action: `${SIGN_IN_PATH}/${uid}`, email, fault }),
  ...(status === 429 && { retryAfterSeconds: SIGN_IN_WINDOW_MS / 1000 }),
})

/** `checkedAt` is when the password was looked at: what was set since ends what comes of it. */
async function finish(
  { provider, accounts, devices }: SignInDeps,
  request: FormRequest,
  member: ActiveMember,
  checkedAt: number,
): Promise<PageAnswer> {
  await accounts.signedIn(member, request.requestId)
  const login = { accountId: member.memberId, amr: ['pwd'], ts: Math.floor(checkedAt / 1000) }
  const location = await (await provider()).interactionResult(request.raw, request.response, { login })
  const { memberId } = member
  const deviceId = devices.read(request.cookie, [memberId])?.deviceId ?? null
  return { kind: 'redirect', location, cookie: devices.make(memberId, deviceId) }
}

/** Asks which organization; the proof says that the password fitted these, in this sign-in. */
function choose(
  { cipher }: SignInDeps,
  uid: string,
  members: readonly ActiveMember[],
  checkedAt: number,
): PageAnswer {
  const proof = JSON.stringify({ ids: members.map((member) => member.memberId), checkedAt })
  return {
    kind: 'page',
    status: 200,
    page: organizationPage({
      action: `${SIGN_IN_PATH}/${uid}`,
      proof: cipher.encrypt(proof, placeOf(uid)),
      choices: members,
    }),
  }
}

async function finishChosen(deps: SignInDeps, request: FormRequest, uid: string): Promise<PageAnswer> {
  const { proof = '', member: memberId = '' } = request.form
  const { ids, checkedAt } = readProof(deps.cipher, proof, uid)
  const member = ids.includes(memberId) ? await deps.accounts.findActive(memberId) : undefined
  return member
    ? finish(deps, request, member, checkedAt)
    : signInForm(uid, 401, '', 'That took too long. Sign in again.')
}

/** The form. Throws the library's SessionNotFound where no sign-in is under way in this browser. */
async function show({ provider }: SignInDeps, request: FormRequest): Promise<PageAnswer> {
  const { uid, params } = await (await provider()).interactionDetails(request.raw, request.response)
  const hint = typeof params.login_hint === 'string' ? params.login_hint : ''
  return signInForm(uid, 200, hint.slice(0, EMAIL_CHARS_MAX), null)
}

/** The form, sent. */
async function submit(deps: SignInDeps, request: FormRequest): Promise<PageAnswer> {
  const { uid } = await (await deps.provider()).interactionDetails(request.raw, request.response)
  if (request.form.proof !== undefined) return finishChosen(deps, request, uid)
  const { email = '', password = '' } = request.form
  const isPossible = email.length <= EMAIL_CHARS_MAX && !email.includes('\0')
  if (!isPossible || password.length > PASSWORD_CHARS_MAX) return signInForm(uid, 401, '', WRONG)
  const { address, requestId } = request
  const deviceOf = (memberIds: readonly string[]) => deps.devices.read(request.cookie, memberIds)
  const checkedAt = Date.now()
  const outcome = await deps.accounts.checkPassword({ email, password, address, deviceOf, requestId })
  if (outcome.kind === 'limited') return signInForm(uid, 429, email, LIMITED)
  if (outcome.kind === 'refused') return signInForm(uid, 401, email, WRONG)
  const [first, second] = outcome.members
  if (!first) return signInForm(uid, 401, email, WRONG)
  return second ? choose(deps, uid, outcome.members, checkedAt) : finish(deps, request, first, checkedAt)
}

export const createSignIn = (deps: SignInDeps) => bindDependencies(deps, { show, submit })

export type SignIn = ReturnType<typeof createSignIn>

const placeOf = (uid: string): string => `sign-in:${uid}`

interface Proof {
  /** Ids of the members whom the password fitted. */
  readonly ids: readonly string[]
  readonly checkedAt: number
}

const NO_PROOF: Proof = { ids: [], checkedAt: 0 }

/** For nobody where it is not ours, of another sign-in, or too old. */
function readProof(cipher: Cipher, proof: string, uid: string): Proof {
  try {
    // What is sealed for this place was written by `choose`.
    const read = JSON.parse(cipher.decrypt(proof, placeOf(uid))) as Proof
    return Date.now() < read.checkedAt + PROOF_LIFETIME_MS ? read : NO_PROOF
  } catch {
    return NO_PROOF
  }
}
