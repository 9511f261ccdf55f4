/** Puts messages of the config feed, or of the last good file, together to transactions. */
import { CompiledSnapshot, type SnapshotEdit } from './compile.ts'
import type { FeedLine } from './put-lines.ts'

/** Applies messages in their order: each transaction as a whole, at its commit, or not at all. */
export class Transactions {
  #snapshot: CompiledSnapshot
  #edit: SnapshotEdit | undefined

  constructor(snapshot = CompiledSnapshot.empty()) {
    this.#snapshot = snapshot
  }

  /** The snapshot after the last whole transaction. */
  get snapshot(): CompiledSnapshot {
    return this.#snapshot
  }

  /** Whether a transaction has begun and is not committed. */
  get unfinished(): boolean {
    return this.#edit !== undefined
  }

  /** Whether a message is in its place: a transaction begins outside of another, and all else comes within one. */
  takes({ type }: FeedLine): boolean {
    return (type === 'begin') !== this.unfinished
  }

  /** The part of the commit that can be done in small steps. */
  *prepareCommit(): Generator<void> {
    if (this.#edit) yield* this.#edit.prepareCommit()
  }

  /** Applies a message that is in its place. What is new to this gateway is passed over. */
  apply(message: FeedLine): void {
    if (message.type === 'begin') this.#edit = this.#snapshot.edit(message.mode === 'full')
    else if (message.type === 'put') this.#edit?.put(message)
    else if (message.type === 'remove') this.#edit?.remove(message.kind, message.id)
    else if (message.type === 'commit' && this.#edit) {
      this.#snapshot = this.#edit.commit(message.revision)
      this.#edit = undefined
    }
  }
}
