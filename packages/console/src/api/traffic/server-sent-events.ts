/** Events of a `text/event-stream` response (HTML Living Standard, section 9.2), as they arrive. */
export interface ServerSentEvent {
  readonly name: string
  readonly data: string
}

/** `onBytes` is called whenever bytes arrive, heartbeats included. */
export async function* readServerSentEvents(
  response: Response,
  onBytes: () => void,
): AsyncGenerator<ServerSentEvent> {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event) yield event
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** One block between blank lines; undefined for comments and blocks without data. */
function parseEvent(block: string): ServerSentEvent | undefined {
  let name = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
  }
  return data.length > 0 ? { name, data: data.join('\n') } : undefined
}
