/**
 * How much of the event loop one client may have: of reading what it sent, judging it, and refusing it. One client can put as
 * much work into a single read as takes a tenth of a second, so whoever reads does so in slices, and asks here whether there
 * may be another one.
 *
 * Work is charged to an account, as time: that of a researcher, once a request of theirs was recognized, and before that, or
 * without it, that of an address. An account earns a fifth of a core, up to a short burst. Within that its work is done at once,
 * which is all that an ordinary client ever meets. Beyond it:
 *
 * - a researcher's work goes on as long as no other one was served lately: what nobody needs may be used;
 * - a stranger's waits until there is something earned, and all strangers together earn half of a core.
 *
 * What waits is given one slice in each turn of the event loop, the accounts one after another, and within an account the
 * connections one after another. So whoever is within what they earn waits for one slice, however many others want how much.
 */
import { networkOf } from '@sallyport/policy'

/** Longest time for which a connection works off what it has read without letting others do the same, milliseconds. */
export const SLICE_MS = 0.5

/** Share of a core that an account earns. */
const SHARE = 0.14
/** Share of a core that all strangers earn together. */
const STRANGERS_SHARE = 0.5
/** So much may be earned in advance, milliseconds: some dozens of requests. */
const BURST_MS = 2
const STRANGERS_BURST_MS = 10
/** More than this is not held against anyone, milliseconds: nobody waits longer than a quarter of a second. */
const DEBT_MAX_MS = 50
/** Two slices: a step that takes longer may have been kept from running. */
const BELIEVED_MS = 2 * SLICE_MS
/** Whoever was served within this time may come again at once, and should find the loop free. */
const OTHERS_MS = 100
/** So many accounts are asked in a turn whether they may go on. */
const ASKED_PER_TURN_MAX = 32

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

/** Whose work is counted together. Made and kept by the budget alone. */
export interface Account {
  readonly key: string
  readonly isStranger: boolean
  readonly allowance: Allowance
  /** Those of it that have work left, the next first. */
  readonly line: Set<Worker>
  /** How many connections have it. */
  holders: number
}

export class WorkBudget {
  /** Those with connections, and those that have not earned back what they spent. */
  readonly #accounts = new Map<string, Account>()
  readonly #strangers = new Allowance(STRANGERS_SHARE, STRANGERS_BURST_MS)
  /** Those with work that waits, the next first. */
  readonly #waiting = new Set<Account>()
  #immediate: NodeJS.Immediate | null = null
  #timer: NodeJS.Timeout | null = null
  /** Processor time of this thread when it was asked for last. */
  #processorMs = 0
  /** The account that was served last within what it earns, and when another one was. */
  #last: Account | null = null
  #lastAt = Number.NEGATIVE_INFINITY
  #otherAt = Number.NEGATIVE_INFINITY

  /** The account of whoever has an address; to be given back by `release`. */
  ofAddress(address: string): Account {
    return this.#hold(`address ${networkOf(address)}`, true)
  }
  /** The account of a researcher; to be given back by `release`. */
  ofResearcher(id: string): Account {
    return this.#hold(`researcher ${id}`, false)
  }
  release(account: Account): void {
    account.holders -= 1
  }

  /** Whether work of an account may be done at once: nothing of it waits, and it may have more. */
  mayWork(account: Account, now: number): boolean {
    return account.line.size === 0 && this.#affords(account, now)
  }

  /**
   * What of a step that took so long by the clock was its own: no more than this thread has run since it was asked before. The
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
  spend(account: Account, ms: number, now: number): void {
    // Before it is recognized, a researcher's own connection is a stranger's.
    if (!account.isStranger && account.allowance.left(now) > 0) this.#noteServed(account, now)
    account.allowance.spend(ms, now)
    if (account.isStranger) this.#strangers.spend(ms, now)
  }

  /** Has a worker called when it is its turn. */
  wait(account: Account, worker: Worker): void {
    account.line.add(worker)
    this.#waiting.add(account)
    this.#askForTurn()
  }
  /** The worker is gone, or waits for another account from now on. */
  leave(account: Account, worker: Worker): void {
    account.line.delete(worker)
    if (account.line.size === 0) this.#waiting.delete(account)
  }

  /** Forgets the accounts that nobody has and that have all that they could have earned. */
  sweep(now: number): void {
    for (const [key, { holders, allowance }] of this.#accounts)
      if (holders === 0 && allowance.left(now) === BURST_MS) this.#accounts.delete(key)
  }

  /** Gives no further turns. */
  close(): void {
    if (this.#immediate) clearImmediate(this.#immediate)
    if (this.#timer) clearTimeout(this.#timer)
    this.#waiting.clear()
  }

  #hold(key: string, isStranger: boolean): Account {
    let account = this.#accounts.get(key)
    if (!account) {
      account = { key, isStranger, allowance: new Allowance(SHARE, BURST_MS), line: new Set(), holders: 0 }
      this.#accounts.set(key, account)
    }
    account.holders += 1
    return account
  }

  #affords(account: Account, now: number): boolean {
    if (account.isStranger) return account.allowance.left(now) > 0 && this.#strangers.left(now) > 0
    return account.allowance.left(now) > 0 || !this.#othersWereServed(account, now)
  }

  #noteServed(account: Account, now: number): void {
    if (this.#last !== account) {
      this.#otherAt = this.#lastAt
      this.#last = account
    }
    this.#lastAt = now
  }
  #othersWereServed(account: Account, now: number): boolean {
    return now - (this.#last === account ? this.#otherAt : this.#lastAt) < OTHERS_MS
  }

  #askForTurn(): void {
    if (this.#immediate) return
    // Whoever comes now may have what those lack who wait for the clock.
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#immediate = setImmediate(() => {
      this.#immediate = null
      this.#giveTurn()
    })
  }

  #giveTurn(): void {
    const now = performance.now()
    let waitMs = OTHERS_MS
    const asked: Account[] = []
    for (const account of this.#waiting) {
      if (this.#affords(account, now)) {
        this.#workFor(account)
        if (this.#waiting.size > 0) this.#askForTurn()
        return
      }
      const { allowance, isStranger } = account
      waitMs = Math.min(waitMs, Math.max(allowance.waitMs(now), isStranger ? this.#strangers.waitMs(now) : 0))
      if (asked.push(account) === ASKED_PER_TURN_MAX) break
    }
    if (asked.length > 0) this.#askLater(asked, waitMs)
  }

  /** None of those who were asked may go on yet; those who were not come first, and soon. */
  #askLater(asked: readonly Account[], waitMs: number): void {
    const askedAll = asked.length === this.#waiting.size
    if (!askedAll) for (const account of asked) this.#moveToEnd(account)
    this.#timer = setTimeout(
      () => {
        this.#timer = null
        this.#giveTurn()
      },
      askedAll ? Math.ceil(waitMs) : 1,
    )
  }

  #workFor(account: Account): void {
    const [worker] = account.line
    if (!worker) return
    this.leave(account, worker)
    if (account.line.size > 0) this.#moveToEnd(account)
    worker.work()
  }
  #moveToEnd(account: Account): void {
    this.#waiting.delete(account)
    this.#waiting.add(account)
  }
}
