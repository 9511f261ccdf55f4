/**
 * Renews the gateway's own credential when the control plane says that it is due. The next one is on the disk before the control plane
 * hears of it, and shown only once it is alone there, so that a gateway that stops at any moment has one that holds.
 */
import { type CredentialRenewal, RENEWAL_PATH } from '@sallyport/contract/words'
import type { Log } from '../settings.ts'
import { describeAnswer, sendToControl } from './control-request.ts'
import type { ControlUrls } from './control-urls.ts'
import {
  type GatewayCredential,
  hashCredential,
  type KeptCredential,
  keepCredential,
  newCredential,
} from './credential.ts'

const TIMEOUT_MS = 5_000
/** It is due long before it must be. */
const RETRY_MS = 60_000

export interface CredentialRenewerOptions {
  readonly controlUrls: ControlUrls
  readonly credential: GatewayCredential
  readonly kept: KeptCredential
  readonly dataDir: string
  readonly log: Log
}

export class CredentialRenewer {
  readonly #options: CredentialRenewerOptions
  readonly #stop = new AbortController()
  #kept: KeptCredential
  #running: Promise<void> | undefined
  #triedAt = Number.NEGATIVE_INFINITY

  constructor(options: CredentialRenewerOptions) {
    this.#options = options
    this.#kept = options.kept
  }

  /** Begins a renewal, unless one is under way or failed a moment ago. */
  begin(): void {
    if (this.#running || this.#stop.signal.aborted || performance.now() - this.#triedAt < RETRY_MS) return
    this.#triedAt = performance.now()
    const { log } = this.#options
    this.#running = this.#renew()
      .then(() => log('info', 'the credential of this gateway is renewed'))
      .catch((error: Error) =>
        log('warn', `the credential of this gateway is not renewed yet: ${error.message}`),
      )
      .finally(() => {
        this.#running = undefined
      })
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the gateway stops'))
    await this.#running
  }

  async #renew(): Promise<void> {
    const { controlUrls, credential, dataDir } = this.#options
    const { gatewayId, next = newCredential() } = this.#kept
    this.#kept = { ...this.#kept, next }
    await keepCredential(dataDir, this.#kept)
    const renewal: CredentialRenewal = { gatewayId, credentialHash: hashCredential(next) }
    const answer = await sendToControl(new URL(RENEWAL_PATH, controlUrls.current), {
      gatewayToken: credential.current,
      type: 'application/json',
      body: [Buffer.from(JSON.stringify(renewal))],
      silenceMaxMs: TIMEOUT_MS,
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    if (answer.status !== 204) throw new Error(`the control plane ${describeAnswer(answer)}`)
    const renewed = { gatewayId, credential: next }
    await keepCredential(dataDir, renewed)
    this.#kept = renewed
    credential.replace(next)
  }
}
