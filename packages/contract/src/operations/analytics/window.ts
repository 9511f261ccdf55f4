/** The window that a question of the analytics is about, and how an answer says it. */
import { z } from 'zod'
import { identifier, repeated, text } from '../../fields.ts'
import { HOST_CHARS_MAX } from '../../limits.ts'
import { EXAMPLE } from '../examples.ts'

/** ISO 8601, or date math as in `now-24h` and `now-7d/d`. */
export const moment = text(64)

export const windowQuery = {
  /** Start of the window, included; 24 hours before its end unless given. */
  gte: moment.optional(),
  /** End of the window, included as Elasticsearch's `lte` is; now unless given. */
  lte: moment.optional(),
  site: repeated(identifier).optional(),
  /** Gated name of a site, or the label of one: another way to name it than its id. */
  url: repeated(text(HOST_CHARS_MAX)).optional(),
  hacker: repeated(identifier).optional(),
  /** IANA name of the zone in which days begin; UTC unless given. */
  timeZone: text(64).optional(),
}

export const analyticsWindow = { gte: z.iso.datetime(), lte: z.iso.datetime() }
export const exampleWindow = { gte: EXAMPLE.time, lte: EXAMPLE.later }
