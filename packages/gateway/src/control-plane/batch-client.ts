/** Speaks `POST /gateway/batches` to the control plane. */
import { BATCHES_PATH, type BatchHeader, type BatchRefusal } from '@sallyport/contract/words'
import { type ControlAgent, createControlAgent, describeAnswer, sendToControl } from './control-request.ts'

const CONNECTIONS = 4
const TIMEOUT_MS = 30_000
const REASON_CHARS_MAX = 500

/** How the control plane took it: for good, never, or not now. */
export type Delivery =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'again'; readonly reason: string }

export interface BatchClientOptions {
  readonly controlUrl: string
  readonly gatewayToken: string
}

export class BatchClient {
  readonly #url: URL
  readonly #gatewayToken: string
  readonly #agent: ControlAgent

  constructor(options: BatchClientOptions) {
    this.#url = new URL(BATCHES_PATH, options.controlUrl)
    this.#gatewayToken = options.gatewayToken
    this.#agent = createControlAgent(this.#url, CONNECTIONS)
  }

  /** Sends a header and its events; never throws. */
  async send(header: BatchHeader, events: Buffer, signal?: AbortSignal): Promise<Delivery> {
    try {
      const { status, text } = await sendToControl(this.#url, {
        gatewayToken: this.#gatewayToken,
        type: 'application/x-ndjson',
        body: [Buffer.from(`${JSON.stringify(header)}\n`), events],
        agent: this.#agent,
        silenceMaxMs: TIMEOUT_MS,
        signal,
      })
      if (status === 204 || status === 200) return { kind: 'accepted' }
      const refusal = status === 400 ? refusalOf(text, header.batchId) : undefined
      if (refusal !== undefined) return { kind: 'refused', reason: refusal }
      const said = text === '' ? '' : `: ${text.slice(0, REASON_CHARS_MAX)}`
      return { kind: 'again', reason: `it ${describeAnswer(status)}${said}` }
    } catch (error) {
      return { kind: 'again', reason: error instanceof Error ? error.message : String(error) }
    }
  }

  async close(): Promise<void> {
    this.#agent.destroy()
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
