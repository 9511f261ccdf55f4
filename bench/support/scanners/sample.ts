/** A sample: who sends what, and whether the weights may be set by it. */
import type { Page } from 'playwright-core'
import type { Random } from '../api-learning/random.ts'

/** What somebody has who sends requests through the gate. */
export interface Seat {
  /** Address of a site behind the gate, without a slash at its end. */
  readonly siteUrl: (name: SiteName) => string
  /** The port for plain HTTP of that gate; not every program looks names of loopback up. */
  readonly plainUrl: string
  readonly hostOf: (name: SiteName) => string
  readonly key: string
  /** Of the Chromium that people have. */
  readonly userAgent: string
  readonly random: Random
  /** Until when they go on, by `performance.now()`. */
  readonly until: number
  /** A page in Chromium that sends the key. */
  openPage(): Promise<Page>
  /** Sends one request on a connection that is kept: names and values of headers in turn, after Host and the key. */
  send(site: SiteName, target: string, headers: readonly string[], more?: SentMore): Promise<Answered>
}

export interface SentMore {
  readonly method?: string
  readonly body?: string
}

export interface Answered {
  readonly status: number
  readonly body: string
}

export type SiteName = 'shop' | 'made-up' | 'prometheus' | 'node-red'

export interface Sample {
  readonly name: string
  readonly isScanner: boolean
  /** Kept out when the weights were set. */
  readonly isHeldOut: boolean
  readonly needs?: SiteName
  run(seat: Seat): Promise<void>
}
