/** The live tail as server-sent events (HTML standard, section 9.2). */
import { Readable } from 'node:stream'
import type { TailItem } from '../../live-tail/waiting-events.ts'
import { recordedRequestOf } from './recorded-request.ts'

/** Keeps proxies from closing a quiet stream, and finds readers that have gone. */
const PING_INTERVAL_MS = 10_000

/** Writes what a follower gets, until `ends`. Ends the following when the reader goes, too. */
export function tailStream(items: Readable, ends?: AbortSignal): Readable {
  let timer: NodeJS.Timeout | undefined
  const text: Readable = new Readable({
    highWaterMark: 64 * 1024,
    read: () => void items.resume(),
    destroy: (error, done) => {
      clearInterval(timer)
      items.destroy()
      done(error)
    },
  })
  timer = setInterval(() => {
    // A client that reads nothing needs no ping.
    if (text.readableLength === 0) text.push(': ping\n\n')
  }, PING_INTERVAL_MS).unref()
  items.on('data', (item: TailItem) => {
    if (!text.push(write(item))) items.pause()
  })
  items.on('end', () => text.push(null))
  items.on('error', (error) => text.destroy(error))
  text.push('retry: 2000\n\n')
  ends?.addEventListener('abort', () => {
    clearInterval(timer)
    items.destroy()
    if (!text.destroyed) text.push(null)
  })
  return text
}

/** JSON holds no line break, so one `data` line is enough. */
const write = (item: TailItem): string =>
  'event' in item
    ? `id: ${item.event.id}\nevent: request\ndata: ${JSON.stringify(recordedRequestOf(item.event))}\n\n`
    : `event: missed\ndata: ${JSON.stringify({ missed: item.missed })}\n\n`
