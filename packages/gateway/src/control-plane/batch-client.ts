/** Speaks `POST /gateway/batches` to the control plane. */
import type { BatchHeader, BatchRefusal } from '@sallyport/contract/words'
import {
  BATCH_FORMATS_HEADER,
  BATCHES_PATH,
  COMPRESSED_BATCH_FORMAT,
  PARTS_MISSING_STATUS,
} from '@sallyport/contract/words'
import { type ControlAgent, createControlAgent, describeAnswer, sendToControl } from './control-request.ts'
import type { ControlUrls } from './control-urls.ts'
import type { GatewayCredential } from './credential.ts'

const CONNECTIONS = 4
const TIMEOUT_MS = 30_000
const REASON_CHARS_MAX = 500

/** No other answer stands for it: a page of maintenance says 200. */
const ACCEPTED_STATUS = 204
const TOO_LARGE_STATUS = 413

/** How the control plane took it: for good, never, not now, not at once, or only after parts that it has no more. */
export type Delivery =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'too large' }
  | { readonly kind: 'parts missing' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'again'; readonly reason: string }

export interface BatchClientOptions {
  readonly controlUrls: ControlUrls
  readonly credential: GatewayCredential
}

export class BatchClient {
  readonly #controlUrls: ControlUrls
  readonly #credential: GatewayCredential
  readonly #unsubscribe: () => void
  #agent: ControlAgent
  #left = new AbortController()
  #takesCompressed = false

  constructor(options: BatchClientOptions) {
    this.#controlUrls = options.controlUrls
    this.#credential = options.credential
    this.#agent = this.#createAgent()
    this.#unsubscribe = options.controlUrls.onMove(() => this.#startOver())
  }

  /** Whether the control plane said with its last good answer that it takes batches in the compressed format. */
  get takesCompressed(): boolean {
    return this.#takesCompressed
  }

  /** Sends a header and its events, as the header's format has them; never throws. */
  async send(header: BatchHeader, events: Buffer, signal?: AbortSignal): Promise<Delivery> {
    try {
      const answer = await sendToControl(new URL(BATCHES_PATH, this.#controlUrls.current), {
        gatewayToken: this.#credential.current,
        type: 'application/x-ndjson',
        body: [Buffer.from(`${JSON.stringify(header)}\n`), events],
        agent: this.#agent,
        silenceMaxMs: TIMEOUT_MS,
        signal: AbortSignal.any([this.#left.signal, ...(signal ? [signal] : [])]),
      })
      const { status, text, headers } = answer
      if (status === ACCEPTED_STATUS) {
        this.#takesCompressed = headers[BATCH_FORMATS_HEADER] === String(COMPRESSED_BATCH_FORMAT)
        return { kind: 'accepted' }
      }
      if (status === TOO_LARGE_STATUS) return { kind: 'too large' }
      if (status === PARTS_MISSING_STATUS && header.part) return { kind: 'parts missing' }
      const refusal = status === 400 ? refusalOf(text, header.batchId) : undefined
      if (refusal !== undefined) return { kind: 'refused', reason: refusal }
      const said = text === '' ? '' : `: ${text.slice(0, REASON_CHARS_MAX)}`
      return { kind: 'again', reason: `it ${describeAnswer(answer)}${said}` }
    } catch (error) {
      return { kind: 'again', reason: error instanceof Error ? error.message : String(error) }
    }
  }

  async close(): Promise<void> {
    this.#unsubscribe()
    this.#agent.destroy()
  }

  #createAgent(): ControlAgent {
    return createControlAgent(new URL(this.#controlUrls.current), CONNECTIONS)
  }

  /** What is on its way to a control plane that was left is sent again to the present one, which stores it once. */
  #startOver(): void {
    this.#left.abort(new Error('another control plane is used from now on'))
    this.#left = new AbortController()
    this.#takesCompressed = false
    this.#agent.destroy()
    this.#agent = this.#createAgent()
  }
}

/**
 * Why the collector refuses a batch for good; undefined where the answer is not the collector's. What stands between the
 * two (a proxy that wants TLS, for example) answers 400 too, and the batch must outlive that.
 */
function refusalOf(text: string, batchId: string): string | undefined {
  try {
    const answer: Partial<Record<keyof BatchRefusal, unknown>> | null = JSON.parse(text)
    const isOurs = answer?.batchId === batchId || answer?.batchId === ''
    return isOurs && typeof answer?.reason === 'string' ? answer.reason.slice(0, REASON_CHARS_MAX) : undefined
  } catch {
    return undefined
  }
}
