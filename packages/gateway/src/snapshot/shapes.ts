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
    return Buffer.from(JSON.stringify(this.#pack(value)))
  }

  /** The value that was encoded, its keys in the order that they had. */
  decode(bytes: Buffer): unknown {
    return this.#unpack(JSON.parse(bytes.toString()))
  }

  #pack(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return this.#packAll(LIST, value)
    const number = this.#numberOf(Object.keys(value))
    return number === PLAIN ? [PLAIN, value] : this.#packAll(number, Object.values(value))
  }

  #packAll(number: number, items: readonly unknown[]): readonly unknown[] {
    const packed: unknown[] = new Array(items.length + 1)
    packed[0] = number
    for (let index = 0; index < items.length; index += 1) packed[index + 1] = this.#pack(items[index])
    return packed
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
