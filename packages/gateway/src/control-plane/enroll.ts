/**
 * Enrols a gateway: a token that an operator made is exchanged for a credential of the gateway's own. The credential is on the disk
 * before the token is used up, so that the same token, given again, finishes what a crash or a lost answer left half done.
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ENROLMENT_PATH, type Enrolment, type EnrolmentRefusal } from '@sallyport/contract/words'
import { forgetLastGood } from '../snapshot/last-good.ts'
import { replaceFileOnDisk } from '../snapshot/own-files.ts'
import { sendToControl } from './control-request.ts'
import { hashCredential, isCredential, keepCredential, newCredential } from './credential.ts'

const TIMEOUT_MS = 10_000
const ATTEMPTS_MAX = 3

export interface EnrolmentOptions {
  /** Base URL of a control plane. */
  readonly controlUrl: string
  /** The gateway's own data directory. It exists. */
  readonly dataDir: string
  readonly gatewayId: string
  /** `ge_live_…`. */
  readonly token: string
}

const WHY: Readonly<Record<EnrolmentRefusal, string>> = {
  token_unknown: 'the control plane does not know this token',
  token_used: 'this token was used already: make another one',
  token_ended: 'this token is too old: make another one',
  other_name: 'this token is for a gateway of another name',
  name_taken:
    'a gateway of this name is enrolled already: make a token for this name, which ends the credential that the other one has',
}

/**
 * Keeps the credential in the data directory once the control plane has taken it, and nothing that the gateway was told before: it may be of
 * organizations that it serves no more, and that wait neither for it nor for a name that is new. Throws with a sentence for the operator.
 */
export async function enrollGateway(options: EnrolmentOptions): Promise<void> {
  const { controlUrl, dataDir, gatewayId, token } = options
  const begunFile = join(dataDir, 'enrolment.json')
  const begun = { gatewayId, tokenHash: hashCredential(token) }
  const credential = (await readBegun(begunFile, begun)) ?? newCredential()
  await replaceFileOnDisk(begunFile, JSON.stringify({ ...begun, credential }))
  const enrolment: Enrolment = { token, gatewayId, credentialHash: hashCredential(credential) }
  const { status, text } = await sendPatiently(new URL(ENROLMENT_PATH, controlUrl), enrolment)
  if (status === 204) {
    await forgetLastGood(join(dataDir, 'snapshot.ndjson'))
    await keepCredential(dataDir, { gatewayId, credential })
  }
  // Any other answer leaves open whether the token is used up.
  if (status === 204 || status === 403) await rm(begunFile, { force: true })
  if (status !== 204) throw new Error(whyRefused(status, text))
}

/** The credential that this token was tried with before, for this name. */
async function readBegun(
  file: string,
  { gatewayId, tokenHash }: { readonly gatewayId: string; readonly tokenHash: string },
): Promise<string | undefined> {
  try {
    const begun: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'))
    const isThis = begun.gatewayId === gatewayId && begun.tokenHash === tokenHash
    return isThis && isCredential(begun.credential) ? begun.credential : undefined
  } catch {
    return undefined
  }
}

/** The same again where no answer came: the control plane knows it by the hash. */
async function sendPatiently(url: URL, enrolment: Enrolment): Promise<{ status: number; text: string }> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await sendToControl(url, {
        gatewayToken: null,
        type: 'application/json',
        body: [Buffer.from(JSON.stringify(enrolment))],
        silenceMaxMs: TIMEOUT_MS,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (attempts >= ATTEMPTS_MAX) throw new Error(`${url.origin} does not answer: ${why}`, { cause: error })
    }
  }
}

function whyRefused(status: number, text: string): string {
  if (status === 429) return 'too many attempts failed from this network: try again in a quarter of an hour'
  if (status === 400) return 'this is no token that enrols a gateway'
  if (status === 404) return 'the control plane is of before enrolment: upgrade it first'
  return (status === 403 && WHY[reasonOf(text) ?? 'token_unknown']) || `the control plane answered ${status}`
}

function reasonOf(text: string): EnrolmentRefusal | undefined {
  try {
    const { reason }: { reason?: unknown } = JSON.parse(text)
    return (Object.keys(WHY) as EnrolmentRefusal[]).find((known) => known === reason)
  } catch {
    return undefined
  }
}
