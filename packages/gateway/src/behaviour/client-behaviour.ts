import type { HeaderEvidence } from '../headers/header-signs.ts'
import { ClientMemory } from './client-memory.ts'
import { NO_SCANNER, type ScannerVerdict, scoreScanner } from './scanner-score.ts'

/** A verdict stands for this many requests, and for this long. What a client did lately hardly changes within either. */
const HELD_REQUESTS = 8
const HELD_MS = 100

/** One client: what is remembered of it, and what it was last taken for. */
export class ClientBehaviour {
  readonly memory: ClientMemory
  readonly #isRotating: boolean
  #verdict = NO_SCANNER
  #signs: HeaderEvidence['signs'] | null = null
  #judgedAt = Number.NEGATIVE_INFINITY
  #requestsLeft = 0

  /** @param isRotating it is everybody who comes under one of more user agents than are told apart */
  constructor(now: number, isRotating = false) {
    this.memory = new ClientMemory(now)
    this.#isRotating = isRotating
  }

  /** How sure it is that a scanner sends what was noted last, with these headers. */
  verdict({ signs, isBrowser }: HeaderEvidence, now: number): ScannerVerdict {
    if (this.#requestsLeft > 0 && signs === this.#signs && now - this.#judgedAt < HELD_MS) {
      this.#requestsLeft -= 1
      return this.#verdict
    }
    const facts = this.memory.facts(now)
    this.#verdict = scoreScanner({ headerSigns: signs, isBrowser, facts, isRotating: this.#isRotating })
    this.#signs = signs
    this.#judgedAt = now
    this.#requestsLeft = HELD_REQUESTS - 1
    return this.#verdict
  }
}
