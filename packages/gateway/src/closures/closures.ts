/**
 * What is closed at this gateway by its operator, whatever the control plane says. It takes effect at once; that it is written down, so that
 * a restart does not open it, is what the caller waits for. What is opened again is written down first.
 */
import { randomUUID } from 'node:crypto'
import type { ClosureAct, ClosureScope } from '@sallyport/contract/words'
import type { Log } from '../settings.ts'
import { readClosures, type WrittenClosures, writeClosures } from './closures-file.ts'

/** Seconds after which a request that was refused for it may find it open. */
export const CLOSURE_RETRY_AFTER_S = 60
/** Acts that wait to be reported; beyond, the oldest are lost. */
const UNREPORTED_MAX = 1_000

/** Whose request it is. */
export interface ClosureQuestion {
  /** Empty where it is for no site. */
  readonly siteId: string
  readonly researcherId: string
}

const keyOf = ({ kind, id }: ClosureScope): string => `${kind}/${id}`

/** Called after each act; where it returns a promise, the act is in force everywhere when that is fulfilled. */
export type ActListener = () => void | Promise<void>

export class Closures {
  readonly #path: string | null
  readonly #log: Log
  readonly #listeners = new Set<ActListener>()
  /** By what they close. */
  #closed: ReadonlyMap<string, ClosureAct>
  #unreported: readonly ClosureAct[]
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string | null, log: Log, { closed, unreported }: WrittenClosures) {
    this.#path = path
    this.#log = log
    this.#closed = new Map(closed.map((act) => [keyOf(act.scope), act]))
    this.#unreported = unreported
  }

  /** Reads what was closed before. Throws where it is damaged: nobody knows then what may be served. */
  static async open(path: string, log: Log): Promise<Closures> {
    return new Closures(path, log, await readClosures(path))
  }

  /** Of a gateway that writes nothing down. */
  static inMemory(): Closures {
    return new Closures(null, () => undefined, { closed: [], unreported: [] })
  }

  /** What is closed, each with the act that closed it. */
  get closed(): readonly ClosureAct[] {
    return [...this.#closed.values()]
  }

  /** What the control plane has not been told yet, oldest first. */
  get unreported(): readonly ClosureAct[] {
    return this.#unreported
  }

  /** Whether nothing may be served to somebody. */
  isClosed({ siteId, researcherId }: ClosureQuestion): boolean {
    if (this.#closed.size === 0) return false
    return (
      this.#closed.has('everything/') ||
      (siteId !== '' && this.#closed.has(`site/${siteId}`)) ||
      (researcherId !== '' && this.#closed.has(`researcher/${researcherId}`))
    )
  }

  /** What another thread of this gateway has closed takes the place of what was closed here. */
  mirror(closed: readonly ClosureAct[]): void {
    this.#closed = new Map(closed.map((act) => [keyOf(act.scope), act]))
    for (const listener of this.#listeners) void listener()
  }

  /** Closes at once; resolves when it is closed in every thread, and a restart will not open it. */
  async close(scope: ClosureScope, by: string, reason: string): Promise<void> {
    const told: (void | Promise<void>)[] = []
    if (!this.#closed.has(keyOf(scope))) {
      const act = newAct('close', scope, by, reason)
      this.#closed = new Map(this.#closed).set(keyOf(scope), act)
      this.#note(act)
      for (const listener of this.#listeners) told.push(listener())
    }
    await Promise.all([this.#write(), ...told])
  }

  /** Opens what was closed by the same words, once that is written down. */
  async open(scope: ClosureScope, by: string, reason: string): Promise<void> {
    if (this.#closed.has(keyOf(scope))) {
      const before = this.#closed
      const left = new Map(before)
      left.delete(keyOf(scope))
      this.#note(newAct('open', scope, by, reason))
      await this.#write(left)
      // What was closed meanwhile stays closed.
      const now = new Map(this.#closed)
      if (now.get(keyOf(scope)) === before.get(keyOf(scope))) now.delete(keyOf(scope))
      this.#closed = now
      await Promise.all([...this.#listeners].map((listener) => listener()))
    }
  }

  /** The control plane has recorded these. */
  async reported(acts: readonly ClosureAct[]): Promise<void> {
    const done = new Set(acts.map(({ id }) => id))
    this.#unreported = this.#unreported.filter(({ id }) => !done.has(id))
    await this.#write()
  }

  /** Calls back after each act. */
  onAct(listener: ActListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #note(act: ClosureAct): void {
    this.#log(
      'warn',
      `${act.act} ${act.scope.kind} ${act.scope.id} at this gateway, by ${act.by}: ${act.reason}`,
    )
    if (this.#unreported.length >= UNREPORTED_MAX)
      this.#log('error', 'the control plane will not learn of the oldest act that waits to be reported')
    this.#unreported = [...this.#unreported, act].slice(-UNREPORTED_MAX)
  }

  /** One write at a time, each of what is so when it begins. */
  #write(closed?: ReadonlyMap<string, ClosureAct>): Promise<void> {
    const path = this.#path
    if (path === null) return Promise.resolve()
    const written = this.#writing.then(() =>
      writeClosures(path, {
        closed: [...(closed ?? this.#closed).values()],
        unreported: this.#unreported,
      }),
    )
    this.#writing = written.catch(() => undefined)
    return written
  }
}

const newAct = (act: ClosureAct['act'], scope: ClosureScope, by: string, reason: string): ClosureAct => ({
  id: randomUUID(),
  act,
  scope,
  time: Date.now(),
  by,
  reason,
})
