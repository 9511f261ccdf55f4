/**
 * Waits until a connection has been silent for a while. A while is counted in ticks of the event loop: on a busy machine a timer is
 * due before what has arrived meanwhile is read, and the gate, which mostly runs in the same process, has had no turn either.
 */

const TICK_MS = 5

export class Silence {
  readonly #onSilence: () => void
  #ticksLeft = 0
  #timer: NodeJS.Timeout | undefined

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence
  }

  /** Begins to wait, or begins anew. */
  await(ms: number): void {
    this.#ticksLeft = Math.ceil(ms / TICK_MS)
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #tick(): void {
    this.#ticksLeft -= 1
    if (this.#ticksLeft > 0) return
    this.stop()
    this.#onSilence()
  }
}
