/** Questions, answers and news between two threads: both sides may ask, and an answer may take its time. */
import type { MessagePort, Worker } from 'node:worker_threads'

type Message<Question> =
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | {
      readonly kind: 'failure'
      readonly id: number
      readonly why: string
      readonly code?: string | undefined
    }

/** Raised where the other thread ended before it answered. */
export class ChannelClosedError extends Error {
  override readonly name = 'ChannelClosedError'
}

interface Pending {
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
}

/** The way to the other thread. */
export interface ChannelPort {
  readonly postMessage: (message: unknown) => void
  /** Calls back with each message of the other thread. */
  readonly onMessage: (listener: (message: unknown) => void) => void
}

/** The way by what Node has for it, on either side. */
export const portOf = (worker: Worker | MessagePort): ChannelPort => ({
  postMessage: (message) => worker.postMessage(message),
  // Both have this one; their types have it among others.
  onMessage: (listener) => void (worker as MessagePort).on('message', listener),
})

/**
 * One side of a channel. `Questions` and `Asked` have, for each name, what a question of this side, or of the other, says, and
 * what it is answered with.
 */
export class Channel<
  Questions extends Record<string, { says: unknown; answer: unknown }>,
  Asked extends Record<string, { says: unknown; answer: unknown }>,
> {
  readonly #port: ChannelPort
  readonly #pending = new Map<number, Pending>()
  #questions = 0
  #isClosed = false

  constructor(port: ChannelPort, answers: Answers<Asked>) {
    this.#port = port
    port.onMessage((received) => {
      // The other side speaks by the same types.
      const message = received as Message<{ name: keyof Asked; says: never }>
      if (message.kind === 'ask') void this.#answer(message.id, message.question, answers)
      else this.#settle(message)
    })
  }

  /** Asks the other thread. Rejects with what it throws, or with `ChannelClosedError`. */
  ask<Name extends keyof Questions & string>(
    name: Name,
    says: Questions[Name]['says'],
  ): Promise<Questions[Name]['answer']> {
    if (this.#isClosed) return Promise.reject(new ChannelClosedError('the other thread has ended'))
    this.#questions += 1
    const id = this.#questions
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending.set(id, { resolve, reject })
    this.#port.postMessage({ kind: 'ask', id, question: { name, says } })
    // The answer is what the other side's answers say by their types.
    return promise as Promise<Questions[Name]['answer']>
  }

  /** Tells the other thread, whatever becomes of it. */
  tell<Name extends keyof Questions & string>(name: Name, says: Questions[Name]['says']): void {
    if (!this.#isClosed) this.#port.postMessage({ kind: 'ask', id: 0, question: { name, says } })
  }

  /** The other thread has ended: nothing is answered any more. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#pending.values())
      reject(new ChannelClosedError('the other thread has ended'))
    this.#pending.clear()
  }

  async #answer(
    id: number,
    { name, says }: { name: keyof Asked; says: never },
    answers: Answers<Asked>,
  ): Promise<void> {
    try {
      const answer = await answers[name](says)
      if (id !== 0 && !this.#isClosed) this.#port.postMessage({ kind: 'answer', id, answer })
    } catch (error) {
      // Nobody waits for what was only told; a fault there is a fault of this thread.
      if (id === 0) throw error
      const why = error instanceof Error ? error.message : String(error)
      // By its code whoever waits tells whether the operator can mend it.
      const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
      if (!this.#isClosed) this.#port.postMessage({ kind: 'failure', id, why, code })
    }
  }

  #settle(message: Exclude<Message<unknown>, { kind: 'ask' }>): void {
    const pending = this.#pending.get(message.id)
    this.#pending.delete(message.id)
    if (message.kind === 'answer') pending?.resolve(message.answer)
    else
      pending?.reject(
        Object.assign(new Error(message.why), message.code !== undefined && { code: message.code }),
      )
  }
}

/** What answers each question. */
export type Answers<Asked extends Record<string, { says: unknown; answer: unknown }>> = {
  readonly [Name in keyof Asked]: (
    says: Asked[Name]['says'],
  ) => Asked[Name]['answer'] | Promise<Asked[Name]['answer']>
}
