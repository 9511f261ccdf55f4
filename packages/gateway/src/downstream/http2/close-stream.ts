/** The end of a stream of HTTP/2 of which not all was read. */
import { constants, type ServerHttp2Stream } from 'node:http2'

/** How often it is asked whether an answer has left: Node says so of no stream. */
const SENT_POLL_MS = 5

/**
 * Resets a stream without an error as soon as its answer has left; what is queued before would be dropped with it. What has come
 * of the request and was not read is dropped, or the stream would wait for it to be.
 */
export function closeOnceSent(stream: ServerHttp2Stream): void {
  if (stream.destroyed) return
  const isOver = stream.closed || stream.state.localClose === 1
  if (!isOver) {
    setTimeout(closeOnceSent, SENT_POLL_MS, stream)
    return
  }
  if (!stream.closed) stream.close(constants.NGHTTP2_NO_ERROR)
  stream.resume()
}
