/** Bounded building blocks of the wire schemas: no string, list or number of the API is unbounded. */
import { z } from 'zod'
import {
  CURSOR_CHARS_MAX,
  EMAIL_CHARS_MAX,
  ID_CHARS_MAX,
  PAGE_ITEMS_DEFAULT,
  PAGE_ITEMS_MAX,
} from './limits.ts'

/** NUL cannot be stored, and a lone surrogate is not text: neither is ever meant. */
const isStorable = (value: string): boolean => !value.includes('\0') && value.isWellFormed()

/** A string of at most `charsMax` UTF-16 units. */
export const text = (charsMax: number) =>
  z.string().max(charsMax).refine(isStorable, 'must not hold NUL or half a surrogate pair')

/** A string that is not empty once trimmed. */
export const filledText = (charsMax: number) =>
  text(charsMax).refine((value) => value.trim() !== '', 'must not be empty')

/**
 * An opaque identifier. One that nobody was given is "not found", whatever it looks like. Paths match whatever the case of
 * their letters, so identifiers in them do too; from here on there is one spelling.
 */
export const identifier = text(ID_CHARS_MAX).toLowerCase()

/** The name of a gateway, as it says it itself. One that was never enrolled may be called anything. */
export const gatewayName = text(ID_CHARS_MAX).min(1)

export const email = text(EMAIL_CHARS_MAX).regex(z.regexes.email, 'must be an e-mail address')

/** The latest instant that `Date` can say, milliseconds since the epoch (ECMA-262, section 21.4.1.1). */
export const EPOCH_MS_MAX = 8.64e15

/** The instants that every part of the system can hold: the years 1 to 9999, in UTC. */
const INSTANT_MIN = Date.parse('0001-01-01T00:00:00.000Z')
const INSTANT_MAX = Date.parse('9999-12-31T23:59:59.999Z')

/** ISO 8601 date and time, with `Z` or an offset. */
export const dateTime = z.iso
  .datetime({
    offset: true,
    abort: true,
    error: 'must be an ISO 8601 date and time with Z or an offset, such as 2026-11-02T09:30:00Z',
  })
  .max(64)
  .refine((value) => {
    const time = Date.parse(value)
    return time >= INSTANT_MIN && time <= INSTANT_MAX
  }, 'must lie in the years 1 to 9999')

/** A list of at most `max` identifiers. */
export const identifiers = (max: number) => z.array(identifier).max(max)

/** Says what is wrong with the one value, or with the first of several, rather than that neither would do. */
const errorOfRepeated: z.core.$ZodErrorMap<z.core.$ZodIssueInvalidUnion> = ({ input, errors }) =>
  errors[Array.isArray(input) ? 1 : 0]?.[0]?.message

/** A query parameter that may be repeated. */
export const repeated = <T extends z.ZodType<string, string>>(item: T) =>
  z
    .union([item, z.array(item).max(100)], { error: errorOfRepeated })
    .transform((value): z.output<T>[] => (Array.isArray(value) ? value : [value]))

/** Query parameters of every paged list. */
export const pageQuery = {
  /** Most items in the answer. */
  limit: z.coerce.number<number | string>().int().min(1).max(PAGE_ITEMS_MAX).default(PAGE_ITEMS_DEFAULT),
  /** `next` of the page before. */
  cursor: text(CURSOR_CHARS_MAX).optional(),
}

/** A page of a list; `next` is the cursor of the following page, null on the last. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next: z.string().nullable() })

export interface Page<T> {
  readonly items: T[]
  readonly next: string | null
}

/** The parameters of a path that names one thing. */
export const idParams = z.object({ id: identifier })

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Whether a string can be one of our identifiers at all. */
export const isUuid = (value: string): boolean => UUID.test(value)
