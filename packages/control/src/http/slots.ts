export interface Slots {
  /** Does the work when it is its turn. */
  run<T>(work: () => Promise<T>): Promise<T>
}

export interface SlotsOptions {
  /** Work that may wait for its turn; beyond it, more is refused. */
  readonly waitingMax?: number
  readonly refusal?: () => Error
}

/** Lets so many run at once; others wait, in the order in which they came. */
export function createSlots(runningMax: number, options: SlotsOptions = {}): Slots {
  const { waitingMax = Number.POSITIVE_INFINITY, refusal = () => new Error('too many wait') } = options
  let running = 0
  const waiting: (() => void)[] = []
  return {
    async run(work) {
      if (running >= runningMax) {
        if (waiting.length >= waitingMax) throw refusal()
        // Whoever finishes hands its slot over, so `running` is already ours when we go on.
        await new Promise<void>((resolve) => waiting.push(resolve))
      } else running++
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else running--
      }
    },
  }
}
