/** One request on a connection of its own, and the whole answer however slowly it comes. */
import { request } from 'node:http'
import { HOST, KEY } from '../../../packages/gateway/test/support/test-data-plane.ts'

export interface Answer {
  readonly status: number
  readonly text: string
}

/** A name that comes twice is sent twice. */
type Fields = readonly (readonly [name: string, value: string])[]

/** Asks a server as a tool would: the target and the fields go as they are given. */
export function ask(port: number, method: string, path: string, fields: Fields = []): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const outgoing = request({ host: '127.0.0.1', port, method, path, agent: false }, (answer) => {
    let text = ''
    answer.on('data', (chunk) => {
      text += chunk
    })
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    answer.on('error', reject)
  })
  outgoing.on('error', reject)
  // Else Node would announce a body with methods that it does not know.
  outgoing.useChunkedEncodingByDefault = false
  for (const [name, value] of fields) {
    if (name === 'Host') outgoing.setHeader(name, value)
    else outgoing.appendHeader(name, value)
  }
  outgoing.end()
  return promise
}

/** The same through a gate, as its researcher. */
export const askGate = (port: number, method: string, path: string, fields: Fields = []): Promise<Answer> =>
  ask(port, method, path, [['Host', HOST], ['Sallyport-Key', KEY], ...fields])
