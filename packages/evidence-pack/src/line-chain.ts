/** Lines that each hold the hash of the line before: split out of pieces as they come, and followed to the end. */

import { CHAIN_START, chainFault } from './audit-chain.ts'
import { type AuditLine, NO_HASH, type TrafficLine } from './pack-format.ts'
import { type StartSha256, sha256Of } from './sha256.ts'

/** An audit entry holds what a request may bring before and after, up to 1 MiB each, and its text is escaped once more in its line. */
const LINE_BYTES_MAX = 8 * 1024 * 1024
const LINE_FEED = 0x0a
const HASH = /^[0-9a-f]{64}$/

export interface LineChain {
  readonly lines: number
  readonly lastHash: string
  write(piece: Uint8Array): void
  /** After the last piece. */
  end(): void
}

/** Follows one line; answers what is wrong with it, or null. */
type FollowLine = (line: Uint8Array, number: number) => string | null

/** Hands whole lines on; one that is too long is a fault, not memory. Of a chain the first fault is told: all that follows is broken with it. */
abstract class Lines implements LineChain {
  lines = 0
  abstract readonly lastHash: string
  #begun: Uint8Array[] = []
  #begunBytes = 0
  #isBroken = false
  readonly #follow: FollowLine
  readonly #fail: (problem: string) => void

  constructor(follow: FollowLine, fail: (problem: string) => void) {
    this.#follow = follow
    this.#fail = fail
  }

  write(piece: Uint8Array): void {
    if (this.#isBroken) return
    let at = 0
    for (
      let end = piece.indexOf(LINE_FEED);
      end >= 0 && !this.#isBroken;
      end = piece.indexOf(LINE_FEED, at)
    ) {
      this.#check(this.#whole(piece.subarray(at, end)))
      at = end + 1
    }
    if (at === piece.length) return
    // A copy, because the next piece may be read into the same memory.
    this.#begun.push(piece.slice(at))
    this.#begunBytes += piece.length - at
    if (this.#begunBytes > LINE_BYTES_MAX) this.#break(`line ${this.lines + 1} is too long`)
  }

  end(): void {
    if (this.#begunBytes > 0) this.#break(`line ${this.lines + 1} has no end`)
  }

  #whole(rest: Uint8Array): Uint8Array {
    if (this.#begun.length === 0) return rest
    const whole = new Uint8Array(this.#begunBytes + rest.length)
    let at = 0
    for (const piece of [...this.#begun, rest]) {
      whole.set(piece, at)
      at += piece.length
    }
    this.#begun = []
    this.#begunBytes = 0
    return whole
  }

  #check(line: Uint8Array): void {
    this.lines += 1
    try {
      // However the bytes came: one that came in one piece was never kept.
      const fault = line.length > LINE_BYTES_MAX ? 'is too long' : this.#follow(line, this.lines)
      if (fault !== null) this.#break(`line ${this.lines} ${fault}`)
    } catch {
      this.#break(`line ${this.lines} is not readable`)
    }
  }

  #break(problem: string): void {
    if (!this.#isBroken) this.#fail(problem)
    this.#isBroken = true
    this.#begun = []
    this.#begunBytes = 0
  }
}

const utf8 = new TextDecoder()
// The line is checked for what is asked of it; whatever else it holds, the hash of its file answers for.
const parsed = <Line>(line: Uint8Array): Line => JSON.parse(utf8.decode(line))

/** Of `traffic.ndjson`. */
export class TrafficChain extends Lines {
  #lastHash = NO_HASH
  constructor(start: StartSha256, fail: (problem: string) => void) {
    super((line) => {
      const { previous } = parsed<TrafficLine>(line)
      const isNext = previous === this.#lastHash
      this.#lastHash = sha256Of(start, line)
      return isNext ? null : 'does not follow the line before'
    }, fail)
  }
  get lastHash(): string {
    return this.#lastHash
  }
}

/** Of `audit.ndjson`. */
export class AuditChain extends Lines {
  #lastHash = CHAIN_START.hash
  constructor(start: StartSha256, fail: (problem: string) => void) {
    super((line, number) => {
      const link = parsed<AuditLine>(line)
      // That of an entry that is withheld is believed, so it must at least be one.
      if (!HASH.test(link.hash)) return 'does not have its hash'
      const fault = chainFault(start, { sequence: number - 1, hash: this.#lastHash }, link)
      this.#lastHash = link.hash
      if (fault === 'place') return 'does not follow the entry before'
      return fault === 'hash' ? 'does not have its hash' : null
    }, fail)
  }
  get lastHash(): string {
    return this.#lastHash
  }
}
