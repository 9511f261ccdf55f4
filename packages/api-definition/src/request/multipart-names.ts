/** Names of the fields of a form in parts (RFC 7578). Strict: what some origins would read otherwise is not well-formed. */

const BOUNDARY = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/i
const NAME = /^content-disposition:\s*form-data\s*;(?:[^\r\n]*;)?\s*name="([^"\r\n]*)"/im
const HEAD_BYTES_MAX = 8_192
const PARTS_MAX = 1_000

/** Undefined where it is not well-formed. */
export function multipartNames(bytes: Buffer, contentType: string): ReadonlySet<string> | undefined {
  const found = BOUNDARY.exec(contentType)
  const boundary = found?.[1] ?? found?.[2]
  if (boundary === undefined || contentType.toLowerCase().split('boundary').length > 2) return undefined
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const first = delimiter.subarray(2)
  if (!bytes.subarray(0, first.length).equals(first)) return undefined
  const names = new Set<string>()
  let at = first.length
  for (let parts = 0; parts <= PARTS_MAX; parts++) {
    if (bytes.toString('latin1', at, at + 2) === '--') return names
    if (bytes.toString('latin1', at, at + 2) !== '\r\n') return undefined
    const next = bytes.indexOf(delimiter, at)
    const headEnd = bytes.indexOf('\r\n\r\n', at)
    if (next === -1 || headEnd === -1 || headEnd > next || headEnd - at > HEAD_BYTES_MAX) return undefined
    const name = NAME.exec(bytes.toString('utf8', at + 2, headEnd))?.[1]
    if (name === undefined) return undefined
    names.add(name)
    at = next + delimiter.length
  }
  return undefined
}
