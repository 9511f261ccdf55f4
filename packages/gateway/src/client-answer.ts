/** Writing to a researcher, over HTTP/1 and HTTP/2 alike. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse, OutgoingHttpHeaders } from 'node:http2'

export type ClientRequest = IncomingMessage | Http2ServerRequest
export type ClientResponse = ServerResponse | Http2ServerResponse

export const isHttp2 = (response: ClientResponse): response is Http2ServerResponse => 'stream' in response

/** Writes the head of an answer. It leaves with the first body chunk, or with the end. */
export function writeHead(
  response: ClientResponse,
  status: number,
  statusText: string,
  rawHeaders: readonly string[],
): void {
  if (isHttp2(response)) {
    response.writeHead(status, headersOf(rawHeaders))
    return
  }
  response.sendDate = false
  response.writeHead(status, statusText, rawHeaders as string[])
}

/** Sends a head that no body chunk will carry soon. */
export function flushHead(response: ClientResponse): void {
  // Over HTTP/2 it left with `writeHead`.
  if (!isHttp2(response)) response.flushHeaders()
}

/** Writes part of the body. False: wait for `drain`. */
export const writeBody = (response: ClientResponse, chunk: Buffer): boolean =>
  isHttp2(response) ? response.write(chunk) : response.write(chunk)

/** Bodies up to this size leave in one string with the head: one write, one buffer less. */
const STRING_BODY_BYTES_MAX = 16 * 1024

/** Ends the answer. */
export function endBody(response: ClientResponse, last: Buffer | null, rawTrailers: readonly string[]): void {
  if (rawTrailers.length > 0) addTrailers(response, rawTrailers)
  if (last === null) response.end()
  else if (last.length <= STRING_BODY_BYTES_MAX && !isHttp2(response))
    response.end(last.toString('latin1', 0, last.length), 'latin1')
  else response.end(last)
}

function addTrailers(response: ClientResponse, rawTrailers: readonly string[]): void {
  if (isHttp2(response)) response.addTrailers(headersOf(rawTrailers))
  else response.addTrailers(pairsOf(rawTrailers))
}

/** Sends a 1xx head. Over HTTP/1 only when the connection is at this request, else it would land in another's answer. */
export function writeInformation(
  response: ClientResponse,
  status: number,
  statusText: string,
  rawHeaders: readonly string[],
): void {
  if (isHttp2(response)) {
    if (!response.stream.destroyed && !response.headersSent)
      response.stream.additionalHeaders({ ...headersOf(rawHeaders), ':status': status })
    return
  }
  if (response.req.httpVersion !== '1.1' || !response.socket || response.headersSent) return
  response.socket.write(headText(status, statusText, rawHeaders), 'latin1')
}

/** A head as text, for connections that are written to directly. */
export function headText(status: number, statusText: string, rawHeaders: readonly string[]): string {
  let text = `HTTP/1.1 ${status} ${statusText}\r\n`
  for (let index = 0; index < rawHeaders.length; index += 2)
    text += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  return `${text}\r\n`
}

/** HTTP/2 has lower-case names and no connection headers; repeated ones become lists. */
function headersOf(rawHeaders: readonly string[]): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = {}
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const value = rawHeaders[index + 1] ?? ''
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (name === 'set-cookie' && Array.isArray(before)) before.push(value)
    else if (name === 'set-cookie') headers[name] = [String(before), value]
    else headers[name] = `${before}, ${value}`
  }
  return headers
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''])
  return pairs
}
