/**
 * Whether an origin has truly gone over to WebSocket. What follows is not judged, and is in the record by its size alone. An
 * origin that says 101 and goes on in HTTP (many have a path that answers with whatever status it is asked for) would take
 * what the researcher sends for requests, past every rule.
 */
import { hash } from 'node:crypto'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Whether the answer to a handshake proves that its key was read (RFC 6455, section 4.2.2). Both as raw headers. */
export function provesWebSocket(asked: readonly string[], answered: readonly string[]): boolean {
  const key = onlyValue(asked, 'sec-websocket-key')
  const proof = onlyValue(answered, 'sec-websocket-accept')
  return key !== null && proof === hash('sha1', key + GUID, 'base64')
}

function onlyValue(rawHeaders: readonly string[], name: string): string | null {
  let value: string | null = null
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== name) continue
    if (value !== null) return null
    value = rawHeaders[index + 1] ?? ''
  }
  return value
}
