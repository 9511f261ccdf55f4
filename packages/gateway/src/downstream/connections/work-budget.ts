/**
 * Bounds how much of the event loop one client may use, for reading what it sent, judging it and refusing it. One client can
 * put as much work into a single read as takes a tenth of a second, so connections read in slices, and ask here whether they may
 * run another one.
 *
 * Work is charged to an account, as time: that of a researcher, once a request of theirs was recognized, and before that, or
 * without it, that of an address. An account earns a tenth of a core, up to a short burst. Within that its work is done at once,
 * which is all that an ordinary client ever meets. Beyond it:
 *
 * - a researcher's work goes on as long as no other one was served lately: what nobody needs may be used;
 * - a stranger's waits until there is something earned, and all strangers together earn half of a core.
 *
 * Waiting work runs one slice in each turn of the event loop: the accounts round-robin, and within an account its connections
 * round-robin. So an account within its allowance waits for one slice, however many others want how much.
 */
import { networkOf } from '@sallyport/policy'

/** Longest time for which a connection works off what it has read without letting others do the same, milliseconds. */
export const SLICE_MS = 0.5

/** Share of a core that an account earns: nearly as much again goes into what nobody charges, and a fifth is what it may have. */
const SHARE = 0.1
/** Share of a core that all strangers earn together. */
const STRANGERS_SHARE = 0.5
/** So much may be earned in advance, milliseconds: some dozens of requests. */
const BURST_MS = 2
const STRANGERS_BURST_MS = 10
/** More than this is not held against anyone, milliseconds: nobody waits longer than four tenths of a second. */
const DEBT_MAX_MS = 50
/** Two slices: a step that takes longer may have been kept from running. */
const BELIEVED_MS = 2 * SLICE_MS
/** An account that was served within this time may come again at once, and should find the event loop free. */
const OTHERS_MS = 100
/** So many accounts are looked at in a turn. */
const EXAMINED_PER_TURN_MAX = 32

/** Something that does its work in slices. */
export interface Worker {
  /** Does the next slice, and waits again (`WorkBudget.wait`) where something is left. */
  work(): void
}

/** Time earned by the clock, and spent. */
class Allowance {
  readonly #share: number
  readonly #burstMs: number
  #ms: number
  #at = 0

  constructor(share: number, burstMs: number) {
    this.#share = share
    this.#burstMs = burstMs
    this.#ms = burstMs
  }

  /** What is left at an instant (`performance.now()`); negative where more was spent than earned. */
  left(now: number): number {
    if (now > this.#at) {
      this.#ms = Math.min(this.#burstMs, this.#ms + (now - this.#at) * this.#share)
      this.#at = now
    }
    return this.#ms
  }
  spend(ms: number, now: number): void {
    this.#ms = Math.max(-DEBT_MAX_MS, this.left(now) - ms)
  }
  /** Milliseconds until something is left. */
  waitMs(now: number): number {
    return Math.max(0, -this.left(now)) / this.#share
  }
}

/** The unit that work is charged to. Made and kept by the budget alone. */
export interface WorkAccount {
  readonly key: string
  readonly isStranger: boolean
  readonly allowance: Allowance
  /** Its workers that have work left, the next first. */
  readonly queue: Set<Worker>
  /** How many connections use it. */
  users: number
}

export class WorkBudget {
  /** Accounts with connections, and those that have not earned back what they spent. */
  readonly #accounts = new Map<string, WorkAccount>()
  readonly #strangers = new Allowance(STRANGERS_SHARE, STRANGERS_BURST_MS)
  /** Accounts with waiting work, the next first. */
  readonly #waiting = new Set<WorkAccount>()
  #immediate: NodeJS.Immediate | null = null
  #timer: NodeJS.Timeout | null = null
  /** Processor time of this thread when it was examined for last. */
  #processorMs = 0
  /** The account that was served last within what it earns, and when another one was. */
  #last: WorkAccount | null = null
  #lastAt = Number.NEGATIVE_INFINITY
  #otherAt = Number.NEGATIVE_INFINITY

  /** The account of the network of an address; to be returned by `release`. */
  acquireForAddress(address: string): WorkAccount {
    return this.#acquire(`address ${networkOf(address)}`, true)
  }
  /** The account of a researcher; to be returned by `release`. */
  acquireForResearcher(id: string): WorkAccount {
    return this.#acquire(`researcher ${id}`, false)
  }
  /** Returns an account. A `worker` is gone, or is charged to another account from now on: it does not wait any more. */
  release(account: WorkAccount, worker?: Worker): void {
    if (worker) this.#cancel(account, worker)
    account.users -= 1
  }

  /** Whether work of an account may be done at once: nothing of it waits, and it may have more. */
  mayWork(account: WorkAccount, now: number): boolean {
    return account.queue.size === 0 && this.#affords(account, now)
  }

  /**
   * What of a step that took so long by the clock was its own: no more than this thread has run since it was examined before. The
   * system may have let others run meanwhile. Asking it costs ten times what the clock costs, so short steps are believed.
   */
  onProcessor(clockMs: number): number {
    if (clockMs <= BELIEVED_MS) return clockMs
    const { user, system } = process.threadCpuUsage()
    const sinceMs = (user + system) / 1_000 - this.#processorMs
    this.#processorMs += sinceMs
    return Math.min(clockMs, Math.max(BELIEVED_MS, sinceMs))
  }

  /** Charges work that was done. `now` is `performance.now()` at its end. */
  spend(account: WorkAccount, ms: number, now: number): void {
    // Before it is recognized, a researcher's own connection is a stranger's.
    if (!account.isStranger && account.allowance.left(now) > 0) this.#noteServed(account, now)
    account.allowance.spend(ms, now)
    if (account.isStranger) this.#strangers.spend(ms, now)
  }

  /** Enqueues a worker, which is called when it is its turn. */
  wait(account: WorkAccount, worker: Worker): void {
    account.queue.add(worker)
    this.#waiting.add(account)
    this.#scheduleTurn()
  }
  #cancel(account: WorkAccount, worker: Worker): void {
    account.queue.delete(worker)
    if (account.queue.size === 0) this.#waiting.delete(account)
  }

  /** Forgets the accounts that nobody has and that have all that they could have earned. */
  sweep(now: number): void {
    for (const [key, { users, allowance }] of this.#accounts)
      if (users === 0 && allowance.left(now) === BURST_MS) this.#accounts.delete(key)
  }

  /** Gives no further turns. */
  close(): void {
    if (this.#immediate) clearImmediate(this.#immediate)
    if (this.#timer) clearTimeout(this.#timer)
    this.#waiting.clear()
  }

  #acquire(key: string, isStranger: boolean): WorkAccount {
    let account = this.#accounts.get(key)
    if (!account) {
      account = { key, isStranger, allowance: new Allowance(SHARE, BURST_MS), queue: new Set(), users: 0 }
      this.#accounts.set(key, account)
    }
    account.users += 1
    return account
  }

  #affords(account: WorkAccount, now: number): boolean {
    if (account.isStranger) return account.allowance.left(now) > 0 && this.#strangers.left(now) > 0
    return account.allowance.left(now) > 0 || !this.#othersWereServed(account, now)
  }

  #noteServed(account: WorkAccount, now: number): void {
    if (this.#last !== account) {
      this.#otherAt = this.#lastAt
      this.#last = account
    }
    this.#lastAt = now
  }
  #othersWereServed(account: WorkAccount, now: number): boolean {
    return now - (this.#last === account ? this.#otherAt : this.#lastAt) < OTHERS_MS
  }

  #scheduleTurn(): void {
    if (this.#immediate) return
    // The new work may be within its allowance although the work that waits for the timer is not.
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#immediate = setImmediate(() => {
      this.#immediate = null
      this.#runTurn()
    })
  }

  #runTurn(): void {
    const now = performance.now()
    let waitMs = OTHERS_MS
    const examined: WorkAccount[] = []
    for (const account of this.#waiting) {
      if (this.#affords(account, now)) {
        this.#workFor(account)
        if (this.#waiting.size > 0) this.#scheduleTurn()
        return
      }
      const { allowance, isStranger } = account
      waitMs = Math.min(waitMs, Math.max(allowance.waitMs(now), isStranger ? this.#strangers.waitMs(now) : 0))
      if (examined.push(account) === EXAMINED_PER_TURN_MAX) break
    }
    if (examined.length > 0) this.#scheduleLater(examined, waitMs)
  }

  /** None of the accounts that were looked at may go on yet; the others come first, and soon. */
  #scheduleLater(examined: readonly WorkAccount[], waitMs: number): void {
    const examinedAll = examined.length === this.#waiting.size
    if (!examinedAll) for (const account of examined) this.#moveToEnd(account)
    this.#timer = setTimeout(
      () => {
        this.#timer = null
        this.#runTurn()
      },
      examinedAll ? Math.ceil(waitMs) : 1,
    )
  }

  #workFor(account: WorkAccount): void {
    const [worker] = account.queue
    if (!worker) return
    this.#cancel(account, worker)
    if (account.queue.size > 0) this.#moveToEnd(account)
    worker.work()
  }
  #moveToEnd(account: WorkAccount): void {
    this.#waiting.delete(account)
    this.#waiting.add(account)
  }
}
