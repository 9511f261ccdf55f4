/**
 * Types of path segments. A segment that looks like an identifier stands for its type from the beginning; one that reads as a word
 * is kept, because only its neighbours tell whether it is a name of the API or a value. What no API names a route by is odd.
 */

/** What a value of a path can be. `word` is one that looks like a name, `text` has letters that names do not have. */
export const SEGMENT_TYPES = [
  'integer',
  'digits',
  'uuid',
  'object-id',
  'date',
  'hash',
  'slug',
  'email',
  'token',
  'text',
  'word',
] as const
export type SegmentType = (typeof SEGMENT_TYPES)[number]

const WORD_CHARS_MAX = 64
const SEGMENT_CHARS_MAX = 512

/** What most words are. */
const PLAIN = /^[a-z_-]{1,40}$/
const WORD = /^[\w.~:@$+,!-]+$/
const TEXT = /^[\p{L}\p{N}\p{M}\w .~:@$+,!-]+$/u
const HIDDEN = /^\.(?!well-known$)/
const BACKUP = /\.(?:bak|old|orig|save|swp|swo|sql|env|tmp|copy)$|~$/i
/** More digits than a number holds exactly everywhere (RFC 7493, section 2.2) are an identifier. */
const INTEGER = /^-?\d{1,15}$/
const DIGITS = /^\d{16,32}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const OBJECT_ID = /^(?=.*\d)[0-9a-f]{24}$/i
const DATE = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/
const HASH = /^(?=.*\d)(?=.*[a-f])(?:[0-9a-f]{7,}|(?=.*[A-F])[0-9A-F]{7,})$/
const EMAIL = /^[^@]+@[^@]+\.[^@]+$/
const VERSION = /^v?\d{1,3}(?:[._]\d{1,3}){0,2}(?:alpha|beta|rc)?\d{0,2}$/i
/** Long with digits in it and without a separator, in capitals, behind a prefix, or with the filling of base64. */
const TOKEN =
  /^(?=.*\d.*\d)(?=.*[A-Za-z])(?:[A-Za-z0-9]{12,}|[A-Z0-9]{8,}|[A-Za-z0-9]{1,8}_(?=\w*\d)[A-Za-z0-9]{8,})$|^[\w+-]{8,}={1,2}$|^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w-]{16,}$|^eyJ[\w-]+\./
/** Words of which one holds two digits or mixes them with letters. */
const SLUG = /[-_.](?=[a-z]*\d[a-z0-9]*\d|\d+[a-z])[a-z0-9]{3,}(?:[-_.]|$)/i
/** Several words as names in programs have them, with an ending that nobody named: `securityClassification-6VMVochwUWo`. */
const NAME_WITH_ENDING = /^[A-Za-z][a-z]+(?:[A-Z][a-z]+)+[-_](?=[A-Za-z]*\d)[A-Za-z0-9]{6,16}$/
/** After these a small number is a version. */
export const NAMES_VERSIONS = /^(?:api|rest|version|v)$/i

/** What a segment stands for: a type, or nothing where it is a word, or `odd`. `before` is the segment before it. */
export function typeOfSegment(segment: string, before: string): SegmentType | 'odd' | undefined {
  if (segment === '' || PLAIN.test(segment)) return undefined
  if (segment.length > SEGMENT_CHARS_MAX || HIDDEN.test(segment) || BACKUP.test(segment)) return 'odd'
  if (INTEGER.test(segment)) return segment.length < 3 && NAMES_VERSIONS.test(before) ? undefined : 'integer'
  if (DIGITS.test(segment)) return 'digits'
  if (!WORD.test(segment)) return /^[\w+-]{8,}={1,2}$/.test(segment) ? 'token' : textOrOdd(segment)
  if (VERSION.test(segment)) return undefined
  if (UUID.test(segment)) return 'uuid'
  if (OBJECT_ID.test(segment)) return 'object-id'
  if (DATE.test(segment)) return 'date'
  if (HASH.test(segment)) return 'hash'
  if (!segment.startsWith('@') && EMAIL.test(segment)) return 'email'
  if (isNameWithEnding(segment)) return undefined
  if (TOKEN.test(segment) || segment.length > WORD_CHARS_MAX) return 'token'
  return SLUG.test(segment) ? 'slug' : undefined
}

const textOrOdd = (segment: string): SegmentType | 'odd' => (TEXT.test(segment) ? 'text' : 'odd')

/**
 * Whether a segment is a name with the ending of an identifier. Some of an API's own names are, so it is a word as long as several ask for it;
 * what few ask for is a value, whatever stands beside it.
 */
export const isNameWithEnding = (segment: string): boolean =>
  segment.length <= WORD_CHARS_MAX && NAME_WITH_ENDING.test(segment)

/** Whether a word looks made rather than named: it has capitals inside, digits or separators as identifiers have them. */
export const looksMade = (word: string): boolean =>
  /\d/.test(word) && !VERSION.test(word) && !/^[a-z]+\d$/i.test(word) && !isNameWithEnding(word)
