/**
 * Where the URLs stand in the headers of an answer: in `Location` and `Content-Location` it is the whole value, others have them
 * among other things. Values are an origin's, so each is gone through once.
 */

/** What becomes of a URL. */
type MapUrl = (url: string) => string

/** What stands before the value of an anchor, with a few blanks at most. */
const ANCHOR = /;[\t ]*anchor[\t ]*=[\t ]*$/i
const ANCHOR_CHARS_MAX = 16

const BEFORE_URL = /^[\t\f ]*[\d.]+(?=[;,\t\f ])[\t\f ]*[;,]?[\t\f ]*(?:url[\t\f ]*=[\t\f ]*)?/i

/** A `Refresh` value with its URL mapped, as browsers read it (HTML, section 4.2.5.3: shared declarative refresh steps). */
export function mapRefresh(value: string, map: MapUrl): string {
  const before = BEFORE_URL.exec(value)?.[0]
  if (before === undefined) return value
  const quote = value[before.length]
  const isQuoted = quote === '"' || quote === "'"
  const start = before.length + (isQuoted ? 1 : 0)
  const closing = isQuoted ? value.indexOf(quote, start) : -1
  const end = closing === -1 ? value.length : closing
  return start === end ? value : value.slice(0, start) + map(value.slice(start, end)) + value.slice(end)
}

/** A `Link` value with the URLs of its targets, and those of its anchors, mapped (RFC 8288, section 3). What is no link stays as it is. */
export function mapLink(value: string, map: MapUrl, mapAnchor: MapUrl): string {
  let mapped = ''
  let copied = 0
  for (let at = 0; at < value.length; at++) {
    if (value[at] === '"') {
      const end = endOfQuoted(value, at)
      if (ANCHOR.test(value.slice(Math.max(0, at - ANCHOR_CHARS_MAX), at))) {
        mapped += value.slice(copied, at + 1) + mapAnchor(value.slice(at + 1, end))
        copied = end
      }
      at = end
    } else if (value[at] === '<') {
      const end = value.indexOf('>', at)
      if (end === -1) break
      mapped += value.slice(copied, at + 1) + map(value.slice(at + 1, end))
      copied = end
      at = end
    }
  }
  return copied === 0 ? value : mapped + value.slice(copied)
}

/** A challenge for a token with each of its strings mapped. Of another scheme it stays: a digest is made of its realm. */
export const mapChallenge = (value: string, map: MapUrl): string =>
  /^bearer[\t ]/i.test(value) ? mapStrings(value, map) : value

/** A URL by itself, or JSON in whose strings there are some, as htmx takes `HX-Location`. */
export const mapUrlOrJson = (value: string, map: MapUrl): string =>
  value.startsWith('{') ? mapStrings(value, map) : map(value)

/** A value with each of its quoted strings mapped (RFC 9651, section 3.3.3). */
export function mapStrings(value: string, map: MapUrl): string {
  let mapped = ''
  let copied = 0
  for (let at = value.indexOf('"'); at !== -1; at = value.indexOf('"', copied + 1)) {
    const end = endOfQuoted(value, at)
    mapped += value.slice(copied, at + 1) + map(value.slice(at + 1, end))
    copied = end
  }
  return mapped + value.slice(copied)
}

/** A list of web origins with each of them mapped. */
export const mapOrigins = (value: string, map: MapUrl): string => value.replace(/[^\s,]+/g, map)

/** Where the quoted text that begins at `start` ends (RFC 9110, section 5.6.4); the end of the value where it does not. */
function endOfQuoted(value: string, start: number): number {
  let at = start + 1
  while (at < value.length && value[at] !== '"') at += value[at] === '\\' ? 2 : 1
  return at
}
