/**
 * Targets that different parsers take for different paths. Escapes of characters that have to be escaped (a space,
 * letters outside of ASCII) are not ambiguous: everyone decodes them to the same. What is:
 *
 * - anything but a path that begins with one slash: absolute-form, `//host`, no slash at all;
 * - dot segments, empty segments, backslashes, `;`, `#`;
 * - escapes of what needs none (letters, digits, `-._~`) and of what means something bare (`/ \ % ; ? #`);
 * - malformed escapes, control characters, bytes that are not UTF-8, forms that fold to ASCII;
 * - segments that end in a dot or a space, NTFS stream names, and ASP.NET's sessions in the path: `/(S(x))`.
 */
import { percentDecodeToBytes } from './percent-decoding.ts'
import { compatibilityFold } from './transforms.ts'

const BARE_TROUBLE = /\/\/|\\|;|#|(?:^|\/)\.\.?(?:\/|$)|[. ](?:\/|$)|:\$|\/\([A-Za-z]\(/
const NEEDLESS_ESCAPE = /%(?:2d|2e|2f|5c|25|3b|3f|23|3[0-9]|[46][1-9a-f]|[57][0-9a]|5f|7e|u)/i
const MALFORMED_ESCAPE = /%(?![0-9a-f]{2})/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this test is about.
const CONTROL = /[\0-\x1f\x7f]/
const ESCAPED_OR_FOREIGN = /[%\x80-\uffff]/

/** Whether parsers may disagree about the path of a request target. */
export function isAmbiguous(target: string): boolean {
  const query = target.indexOf('?')
  const path = query === -1 ? target : target.slice(0, query)
  if (!path.startsWith('/') || BARE_TROUBLE.test(path)) return true
  if (query !== -1 && target.includes('#', query)) return true
  if (!ESCAPED_OR_FOREIGN.test(path)) return CONTROL.test(path)
  if (NEEDLESS_ESCAPE.test(path) || MALFORMED_ESCAPE.test(path)) return true
  const bytes = percentDecodeToBytes(path)
  if (CONTROL.test(bytes) || BARE_TROUBLE.test(bytes)) return true
  const text = utf8(bytes)
  return text === undefined || foldsToAscii(text)
}

/** Bytes, one a character, as UTF-8 text; undefined where they are not UTF-8 and `fatal` is set. */
export function utf8(bytes: string, fatal = true): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal }).decode(
      Uint8Array.from(bytes, (unit) => unit.charCodeAt(0) & 0xff),
    )
  } catch {
    return undefined
  }
}

const foldsToAscii = (text: string): boolean =>
  [...text].some((character) => character > '\x7f' && /[\0-\x7f]/.test(compatibilityFold(character)))
