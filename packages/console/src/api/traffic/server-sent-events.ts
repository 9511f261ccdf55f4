import { createParser, type EventSourceMessage } from 'eventsource-parser'

/**
 * Events of a `text/event-stream` response (HTML Living Standard, section 9.2), as they arrive. `onBytes` is called whenever
 * something comes, heartbeats included.
 */
export async function* readServerSentEvents(
  response: Response,
  onBytes: () => void,
): AsyncGenerator<EventSourceMessage> {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const arrived: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => void arrived.push(event) })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      parser.feed(value)
      yield* arrived.splice(0)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
