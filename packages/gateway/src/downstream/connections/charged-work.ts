/** The work of one connection: the account that it is charged to, and whether it waits for its turn (`work-budget.ts`). */
import type { WorkAccount, WorkBudget, Worker } from './work-budget.ts'

export class ChargedWork {
  readonly #budget: WorkBudget
  #address: string
  readonly #worker: Worker
  /** The account of the researcher who made the last request, where recognized, else that of the address. */
  #account: WorkAccount
  #researcherId = ''
  #waits = false
  #closed = false
  /** Work that the clock does not show and that was not charged yet, milliseconds. */
  #uncounted: number

  /** `openedMs`: what there was to do before the first request; charged with it. `worker` is called when it is its turn. */
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
  /** Enqueues the worker, which is called when it is its turn. */
  wait(): void {
    if (this.#closed) return
    this.#waits = true
    this.#budget.wait(this.#account, this.#worker)
  }
  /** To be called by the worker when it is called. */
  begin(): void {
    this.#waits = false
  }

  /** Adds work that no clock measures, milliseconds; charged with the next `spend`. */
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
    this.#researcherId = researcherId
    this.#changeAccount()
  }
  /** From where they come from now on: the connection of a reverse proxy carries those of many. */
  locate(address: string): void {
    if (address === this.#address || this.#closed) return
    this.#address = address
    if (this.#researcherId === '') this.#changeAccount()
  }
  #changeAccount(): void {
    this.#budget.release(this.#account, this.#worker)
    this.#account =
      this.#researcherId === ''
        ? this.#budget.acquireForAddress(this.#address)
        : this.#budget.acquireForResearcher(this.#researcherId)
    if (this.#waits) this.#budget.wait(this.#account, this.#worker)
  }

  /** The connection is gone. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#budget.release(this.#account, this.#worker)
  }
}
