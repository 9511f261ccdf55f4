/**
 * JSON without its keys. Things of one kind have the same keys, which are half of what they are as text: here each list of
 * keys is kept once, under a number, and an object is that number followed by its values.
 *
 *     {"id":"a","rules":[{"path":"/x"}]}   as   [1,"a",[0,[2,"/x"]]]
 */

/** What an array begins with that was one. */
const LIST = 0
/** What stands before an object that kept its keys. */
const PLAIN = -1
/** Things with keys that are never the same twice keep them: what is known of keys is known for good. */
const STEPS_MAX = 10_000

/** A list of keys, or the beginning of one, in the tree of all that were seen. */
interface Step {
  readonly next: Map<string, Step>
  /** Number of the list that ends here; 0 where none has yet. */
  number: number
}

export class Shapes {
  /** By number, from 1 on. */
  readonly #keys: (readonly string[])[] = [[]]
  readonly #root: Step = { next: new Map(), number: 0 }
  #steps = 0

  /** A value that JSON can say, as bytes that `decode` of this object reads. The same value gives the same bytes. */
  encode(value: unknown): Buffer {
    return Buffer.from(this.#pack(value))
  }

  /** The value that was encoded, its keys in the order that they had. */
  decode(bytes: Buffer): unknown {
    return this.#unpack(JSON.parse(bytes.toString()))
  }

  /**
   * Text at once, and no arrays to be made into text: what is stored in an object while V8 marks what is alive counts as
   * alive, and was moved to the old generation by the megabyte, in halts of 5 to 14 ms.
   */
  #pack(value: unknown): string {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const isList = Array.isArray(value)
    const number = isList ? LIST : this.#numberOf(Object.keys(value))
    if (number === PLAIN) return `[${PLAIN},${JSON.stringify(value)}]`
    let text = `[${number}`
    for (const item of isList ? value : Object.values(value)) text += `,${this.#pack(item)}`
    return `${text}]`
  }

  #unpack(packed: unknown): unknown {
    if (!Array.isArray(packed)) return packed
    const number = packed[0]
    if (number === PLAIN) return packed[1]
    if (number === LIST) return packed.slice(1).map((item) => this.#unpack(item))
    const value: Record<string, unknown> = {}
    let at = 0
    for (const key of this.#keys[number] ?? []) value[key] = this.#unpack(packed[++at])
    return value
  }

  #numberOf(keys: readonly string[]): number {
    let step = this.#root
    for (const key of keys) {
      const next = step.next.get(key) ?? this.#add(step, key)
      if (!next) return PLAIN
      step = next
    }
    if (step.number === 0) step.number = this.#keys.push(keys) - 1
    return step.number
  }

  #add(step: Step, key: string): Step | undefined {
    // An assignment to `__proto__` would make no key of it.
    if (this.#steps === STEPS_MAX || key === '__proto__') return undefined
    const next = { next: new Map<string, Step>(), number: 0 }
    step.next.set(key, next)
    this.#steps += 1
    return next
  }
}
