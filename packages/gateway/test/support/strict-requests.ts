/** Requests read by RFC 9112 to the letter: what an origin got is well-framed, or the test fails. */
import assert from 'node:assert/strict'

export interface StrictRequest {
  readonly line: string
  readonly headers: readonly string[]
}

/** The requests in what one origin connection received, one character per byte; throws where it is anything else. */
export function parseStrictly(received: string): StrictRequest[] {
  const requests: StrictRequest[] = []
  let at = 0
  while (at < received.length) {
    const end = received.indexOf('\r\n\r\n', at)
    assert.ok(end >= 0, `no end of head in ${JSON.stringify(received.slice(at))}`)
    const [line = '', ...headers] = received.slice(at, end).split('\r\n')
    assert.match(line, /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~\x80-\xff]+ HTTP\/1\.1$/)
    for (const header of headers)
      assert.match(header, /^[!#$%&'*+.^_`|~0-9A-Za-z-]+: ?[\t\x20-\x7e\x80-\xff]*$/)
    const lengths = valuesOf(headers, 'content-length')
    const encodings = valuesOf(headers, 'transfer-encoding')
    assert.ok(lengths.length + encodings.length <= 1, 'one framing header at most')
    assert.equal(valuesOf(headers, 'host').length, 1)
    at = end + 4
    if (encodings.length === 1) at = endOfChunks(received, at)
    else at += Number(lengths[0] ?? 0)
    requests.push({ line, headers })
  }
  return requests
}

/** The values of a header among header lines, by its name in lower case. */
export const valuesOf = (headers: readonly string[], name: string): string[] =>
  headers
    .filter((header) => header.toLowerCase().startsWith(`${name}:`))
    .map((header) => header.slice(name.length + 1).trim())

function endOfChunks(received: string, from: number): number {
  let at = from
  for (;;) {
    const end = received.indexOf('\r\n', at)
    const size = received.slice(at, end)
    if (end < 0) return received.length // the client left in the middle; the connection was closed with it
    assert.match(size, /^[0-9a-f]+$/)
    at = end + 2 + Number.parseInt(size, 16)
    if (size === '0') return received.indexOf('\r\n\r\n', end) + 4
    if (at >= received.length) return received.length
    assert.equal(received.slice(at, at + 2), '\r\n')
    at += 2
  }
}
