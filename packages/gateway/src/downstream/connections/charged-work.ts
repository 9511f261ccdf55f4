/** The work of one connection: whose account it is charged to, and whether it waits for its turn (`work-budget.ts`). */
import type { WorkAccount, WorkBudget, Worker } from './work-budget.ts'

export class ChargedWork {
  readonly #budget: WorkBudget
  readonly #address: string
  readonly #worker: Worker
  /** Of whoever made the last request, where that was recognized, else of the address. */
  #account: WorkAccount
  #researcherId = ''
  #waits = false
  #closed = false
  /** Work that the clock does not show and that was not charged yet, milliseconds. */
  #uncounted: number

  /** `openedMs`: what there was to do before the first request; charged with it. `worker` is told when it is its turn. */
  constructor(budget: WorkBudget, address: string, worker: Worker, openedMs = 0) {
    this.#budget = budget
    this.#address = address
    this.#worker = worker
    this.#account = budget.acquireForAddress(address)
    this.#uncounted = openedMs
  }

  /** True from `wait` until `begin`. */
  get waits(): boolean {
    return this.#waits
  }
  /** Whether there may be work at an instant (`performance.now()`). */
  mayBegin(now: number): boolean {
    return !this.#waits && this.#budget.mayWork(this.#account, now)
  }
  /** Has the worker called when it is its turn. */
  wait(): void {
    if (this.#closed) return
    this.#waits = true
    this.#budget.wait(this.#account, this.#worker)
  }
  /** Said by the worker when it is called. */
  begin(): void {
    this.#waits = false
  }

  /** Keeps work in mind that is done when nobody counts it, milliseconds. */
  add(ms: number): void {
    this.#uncounted += ms
  }
  /** Charges work by what the clock says that it took, and what was kept in mind, at its end. */
  spend(clockMs: number, now: number): void {
    this.#budget.spend(this.#account, this.#budget.onProcessor(clockMs) + this.#uncounted, now)
    this.#uncounted = 0
  }

  /** Who makes the requests from now on; empty where that is not known. */
  identify(researcherId: string): void {
    if (researcherId === this.#researcherId || this.#closed) return
    this.#releaseAccount()
    this.#researcherId = researcherId
    this.#account =
      researcherId === ''
        ? this.#budget.acquireForAddress(this.#address)
        : this.#budget.acquireForResearcher(researcherId)
    if (this.#waits) this.#budget.wait(this.#account, this.#worker)
  }

  /** The connection is gone. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#releaseAccount()
  }

  #releaseAccount(): void {
    this.#budget.cancel(this.#account, this.#worker)
    this.#budget.release(this.#account)
  }
}
