/** What a thread that counts is given, and where it says what it did. */
import type { LimiterSettings } from '@sallyport/contract'

export interface CountingThread {
  readonly memory: SharedArrayBuffer
  readonly settings: LimiterSettings
  readonly sharer: number
  readonly sharers: number
  readonly now: number
  /** 1 when to stop; then for each thread what it was allowed, what runs now, and how often more ran than may. */
  readonly board: SharedArrayBuffer
}

export const BOARD = { stop: 0, allowed: 1, running: 20, above: 40, words: 60 } as const
