/** Writes heads and chunks as text with one character per byte. What it is given must have been checked for CR and LF. */

/** Field lines, each with the CR LF that ends it. */
export function fieldLines(rawHeaders: readonly string[]): string {
  let text = ''
  for (let index = 0; index < rawHeaders.length; index += 2)
    text += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  return text
}

/** A status line and field lines, without the empty line that ends a head. */
export const responseHeadLines = (
  status: number,
  statusText: string,
  rawHeaders: readonly string[],
): string => `HTTP/1.1 ${status} ${statusText}\r\n${fieldLines(rawHeaders)}`

/** The head of a response, with the empty line that ends it. */
export const responseHead = (status: number, statusText: string, rawHeaders: readonly string[]): string =>
  `${responseHeadLines(status, statusText, rawHeaders)}\r\n`

/** What stands before a chunk of so many bytes (RFC 9112, section 7.1); must not be 0. */
export const chunkStart = (bytes: number): string => `${bytes.toString(16)}\r\n`
/** What stands behind each chunk. */
export const CHUNK_END = '\r\n'
/** The end of a body in chunks, with its trailers. */
export const lastChunk = (rawTrailers: readonly string[] = []): string =>
  `0\r\n${fieldLines(rawTrailers)}\r\n`
