/** Follows the live tail of an installation as a client does, and notes when each request came. */
import { request } from 'node:http'

/** What of a recorded request a follower looks at. */
export interface FollowedRequest {
  readonly id: string
  readonly path: string
  readonly target: string
}

export interface TailFollower {
  /** Requests in the order in which they came. */
  readonly seen: readonly FollowedRequest[]
  /** Requests that it was told it did not get. */
  missed(): number
  /** Resolves with the moment (`performance.now()`) at which a request with this path came, at once if it has come. */
  arrival(path: string): Promise<number>
  /** Takes nothing more until `resume`. */
  pause(): void
  resume(): void
  close(): void
}

/** Opens the tail with a filter and resolves once the server has answered. */
export function followTail(controlUrl: string, apiKey: string, query = ''): Promise<TailFollower> {
  const seen: FollowedRequest[] = []
  const arrivals = new Map<string, number>()
  const waiting = new Map<string, (at: number) => void>()
  let missed = 0
  let rest = ''

  const take = (block: string): void => {
    const data = /^data: (.*)$/m.exec(block)?.[1]
    if (data === undefined) return
    if (block.startsWith('event: missed')) missed += (JSON.parse(data) as { missed: number }).missed
    else {
      const event: FollowedRequest = JSON.parse(data)
      seen.push(event)
      arrivals.set(event.path, performance.now())
      waiting.get(event.path)?.(performance.now())
      waiting.delete(event.path)
    }
  }
  return new Promise((opened, failed) => {
    const headers = { authorization: `Bearer ${apiKey}`, accept: 'text/event-stream' }
    const call = request(`${controlUrl}/api/Analytics/tail?${query}`, { headers }, (answer) => {
      if (answer.statusCode !== 200) {
        answer.resume()
        failed(new Error(`the tail answered ${answer.statusCode}`))
        return
      }
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        const blocks = (rest + chunk).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) take(block.replace(/^id: .*\n/, ''))
      })
      answer.on('error', () => undefined)
      opened({
        seen,
        missed: () => missed,
        arrival: (path) => {
          const at = arrivals.get(path)
          return at === undefined ? new Promise((came) => waiting.set(path, came)) : Promise.resolve(at)
        },
        pause: () => void answer.pause(),
        resume: () => void answer.resume(),
        close: () => call.destroy(),
      })
    })
    call.on('error', failed)
    call.end()
  })
}
