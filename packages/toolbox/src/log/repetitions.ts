/** How often the same is said, of so many different things; of what is beyond those, as of one. */
export interface RepetitionBounds {
  readonly intervalMs: number
  readonly keysMax: number
}

const DEFAULT_BOUNDS: RepetitionBounds = { intervalMs: 60_000, keysMax: 200 }
/** Of a key no more than this counts: others may have a part in what it says. */
const KEY_CHARS_MAX = 200
/** Stands for all that is beyond the bound. */
const OTHERS = '…'

interface Said {
  /** How often it came since it was last said. */
  count: number
  /** Says it as it last came. */
  say: (count: number) => void
  timer: NodeJS.Timeout
}

/**
 * Says the same once an interval: at once the first time, then at the end of each interval in which it came again, with how often it
 * did. What did not come for an interval is said at once again.
 */
export class Repetitions {
  readonly #bounds: RepetitionBounds
  readonly #said = new Map<string, Said>()

  constructor(bounds: RepetitionBounds = DEFAULT_BOUNDS) {
    this.#bounds = bounds
  }

  /** `say` is called now with 1, or later, in the place of those before it, with how often the same came. */
  note(key: string, say: (count: number) => void): void {
    const cut = key.slice(0, KEY_CHARS_MAX)
    const known = this.#said.get(cut) ?? (this.#isFull ? this.#said.get(OTHERS) : undefined)
    if (known) {
      known.count += 1
      known.say = say
      return
    }
    this.#begin(this.#isFull ? OTHERS : cut, say)
    say(1)
  }

  /** Says what has come again and was not said yet, and begins anew. */
  flush(): void {
    const all = [...this.#said.values()]
    this.#said.clear()
    for (const { count, say, timer } of all) {
      clearTimeout(timer)
      if (count > 0) say(count)
    }
  }

  get #isFull(): boolean {
    return this.#said.size >= this.#bounds.keysMax
  }

  #begin(key: string, say: (count: number) => void): void {
    const said: Said = {
      count: 0,
      say,
      timer: setInterval(() => this.#end(key, said), this.#bounds.intervalMs),
    }
    said.timer.unref()
    this.#said.set(key, said)
  }

  #end(key: string, said: Said): void {
    const { count, say } = said
    said.count = 0
    if (count > 0) {
      say(count)
      return
    }
    clearInterval(said.timer)
    this.#said.delete(key)
  }
}
