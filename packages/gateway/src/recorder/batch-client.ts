/** Speaks `POST /gateway/batches` to the control plane. */
import { Readable } from 'node:stream'
import { BATCHES_PATH, type BatchHeader } from '@sallyport/contract'
import { Agent, request } from 'undici'

const CONNECTIONS = 4
const TIMEOUT_MS = 30_000

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
  readonly #headers: Record<string, string>
  readonly #agent = new Agent({
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  })

  constructor(options: BatchClientOptions) {
    this.#url = new URL(BATCHES_PATH, options.controlUrl)
    this.#headers = {
      authorization: `Bearer ${options.gatewayToken}`,
      'content-type': 'application/x-ndjson',
    }
  }

  /** Sends a header and its events; never throws. */
  async send(header: BatchHeader, events: Buffer, signal?: AbortSignal): Promise<Delivery> {
    const first = Buffer.from(`${JSON.stringify(header)}\n`)
    try {
      const response = await request(this.#url, {
        method: 'POST',
        headers: { ...this.#headers, 'content-length': String(first.length + events.length) },
        body: events.length === 0 ? first : Readable.from([first, events]),
        dispatcher: this.#agent,
        signal: signal ?? null,
      })
      const text = await response.body.text()
      if (response.statusCode === 204 || response.statusCode === 200) return { kind: 'accepted' }
      const reason = `${response.statusCode} ${text.slice(0, 500)}`
      return { kind: response.statusCode === 400 ? 'refused' : 'again', reason }
    } catch (error) {
      return { kind: 'again', reason: error instanceof Error ? error.message : String(error) }
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}
