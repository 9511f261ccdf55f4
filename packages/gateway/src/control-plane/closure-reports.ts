/** Reports what was closed and opened at this gateway, again and again until the control plane has recorded it. */
import { CLOSURE_ACTS_MAX, CLOSURES_PATH, type ClosureReport } from '@sallyport/contract/words'
import { backOffMs, pause } from '@sallyport/toolbox'
import type { Closures } from '../closures/closures.ts'
import type { ControlAddress } from './control-client.ts'
import { sendToControl } from './control-request.ts'

const TIMEOUT_MS = 5_000
const RETRY = { minMs: 500, maxMs: 2_000 }

export class ClosureReports {
  readonly #control: ControlAddress
  readonly #closures: Closures
  readonly #stop = new AbortController()
  readonly #unsubscribe: () => void
  #running: Promise<void> | undefined

  constructor(control: ControlAddress, closures: Closures) {
    this.#control = control
    this.#closures = closures
    this.#unsubscribe = closures.onAct(() => this.#wake())
    this.#wake()
  }

  async close(): Promise<void> {
    this.#unsubscribe()
    this.#stop.abort()
    await this.#running
  }

  #wake(): void {
    this.#running ??= this.#reportAll().finally(() => {
      this.#running = undefined
    })
  }

  async #reportAll(): Promise<void> {
    let failures = 0
    while (this.#closures.unreported.length > 0 && !this.#stop.signal.aborted) {
      const acts = this.#closures.unreported.slice(0, CLOSURE_ACTS_MAX)
      const isRecorded = await this.#report({ gatewayId: this.#control.gatewayId, acts }).catch(() => false)
      failures = isRecorded ? 0 : failures + 1
      // Where it cannot be written down, it is reported once more after a restart, and recorded once.
      if (isRecorded) await this.#closures.reported(acts).catch(() => undefined)
      else await pause(backOffMs(failures, RETRY), this.#stop.signal)
    }
  }

  async #report(report: ClosureReport): Promise<boolean> {
    const { controlUrls, credential } = this.#control
    const { status } = await sendToControl(new URL(CLOSURES_PATH, controlUrls.current), {
      gatewayToken: credential.current,
      type: 'application/json',
      body: [Buffer.from(JSON.stringify(report))],
      silenceMaxMs: TIMEOUT_MS,
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    return status === 204
  }
}
