/** The gated hosts that the proxy carries requests to, as the researcher names them: by URL. */
import { OperatorError } from '../operator-error.ts'

export interface Gate {
  /** Lower case, as requests must name it. */
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
}

/** By `host:port`. */
export type Gates = ReadonlyMap<string, Gate>

const GATES_MAX = 100
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** Reads the URLs; throws an OperatorError at one that cannot be a gated host's. */
export function readGates(urls: readonly string[]): Gates {
  if (urls.length > GATES_MAX) throw new OperatorError(`there are more than ${GATES_MAX} addresses`)
  return new Map(urls.map(readGate).map((gate) => [`${gate.host}:${gate.port}`, gate]))
}

function readGate(text: string): Gate {
  const url = URL.parse(text)
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    !NAME.test(url.hostname)
  )
    throw new OperatorError(
      `${maskedUrl(text)}: not the address of a gated host, such as https://shop.gate.example.com`,
    )
  const isSecure = url.protocol === 'https:'
  if (!isSecure && !isLocal(url.hostname))
    throw new OperatorError(
      `${text}: without TLS the key would be sent in the clear; only *.localhost may be asked so`,
    )
  return { host: url.hostname, port: Number(url.port) || (isSecure ? 443 : 80), isSecure }
}

/** What stands before an `@` may be a secret. */
const maskedUrl = (text: string): string => text.replace(/[^/]*@/, '***@')

/** Names of this machine, whatever the system's resolver knows of them (RFC 6761, section 6.3). */
export const isLocal = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')
