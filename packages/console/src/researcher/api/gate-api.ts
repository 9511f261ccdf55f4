/**
 * The API of the gate's own host, and the one thing that a gated host is asked. The session's cookie goes along by itself;
 * no script of this page can read it, and no key is kept after it was exchanged for one.
 */
import type { GatedNonce, GateOtherSession } from '@sallyport/contract'
import { GATE_API_PATH, GATED_NONCE_PATH } from '@sallyport/contract/words'
import { texts } from './texts.ts'

/** The gate refused, with its sentence. Status 0: it did not answer at all. */
export class GateRefusal extends Error {
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.status = status
  }
}

/** Another researcher's session is in this browser, and nothing was changed. */
export class OtherSession extends Error {
  readonly signedInAs: GateOtherSession['signedInAs']

  constructor({ signedInAs }: GateOtherSession) {
    super(texts.thisBrowserIsSigned)
    this.signedInAs = signedInAs
  }
}

export interface GateCall {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: object
  readonly signal?: AbortSignal
}

/** Calls the API; `path` follows `/api/`. Answers the parsed body, undefined where there is none. */
export async function callGate<Answer>(
  path: string,
  { method = 'GET', body, signal }: GateCall = {},
): Promise<Answer> {
  const response = await fetch(GATE_API_PATH + path, {
    method,
    headers: { accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(signal ? { signal } : {}),
    cache: 'no-store',
  }).catch(() => {
    throw new GateRefusal(0, texts.theGateDoesNotAnswer)
  })
  const answer: unknown = await response.json().catch(() => undefined)
  // The shape is the contract's; the host that answers is our own.
  if (response.ok) return answer as Answer
  if (response.status === 409 && isOtherSession(answer)) throw new OtherSession(answer)
  throw new GateRefusal(response.status, sentenceOf(answer) ?? texts.theGateAnswered(response.status))
}

/** Any error of a call, as a refusal with a sentence. */
export const refusalOf = (error: unknown): GateRefusal =>
  error instanceof GateRefusal ? error : new GateRefusal(0, texts.itDidNotWork)

/**
 * Reads the nonce that this browser has at a gated host. The request crosses origins, so that no service worker of that host
 * answers it. Undefined where there is no answer, which scripts of the host can bring about.
 */
export async function readNonce(siteUrl: string): Promise<GatedNonce | undefined> {
  const answer = await fetch(siteUrl + GATED_NONCE_PATH, {
    credentials: 'include',
    cache: 'no-store',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  }).catch(() => undefined)
  const body: unknown = answer?.ok ? await answer.json().catch(() => undefined) : undefined
  return isGatedNonce(body) ? body : undefined
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isGatedNonce = (value: unknown): value is GatedNonce =>
  isRecord(value) &&
  typeof value.nonce === 'string' &&
  typeof value.researcherId === 'string' &&
  typeof value.isThirdParty === 'boolean'

const isOtherSession = (value: unknown): value is GateOtherSession =>
  isRecord(value) && isRecord(value.signedInAs) && typeof value.signedInAs.email === 'string'

const sentenceOf = (value: unknown): string | undefined =>
  isRecord(value) && typeof value.detail === 'string' ? value.detail : undefined
