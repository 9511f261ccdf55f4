/**
 * A grammar of what an origin may answer that wants to deceive, or does not know better: answers with bodies that they should
 * not have, shorter or longer than they say, cut anywhere, followed by others that nobody asked for, before or after the next
 * request. A sequence is a few exchanges of two researchers, A and B, the first of which is A's.
 */
import fc from 'fast-check'

/** When the origin does something: with the answer, in a later turn, when the answer has arrived, or at the next request. */
export type When = 'now' | 'turn' | 'answered' | 'next'

export interface Exchange {
  readonly who: 'A' | 'B'
  /** `half` sends the half of its body; `upgrade` asks for a WebSocket. */
  readonly asks: 'GET' | 'HEAD' | 'POST' | 'half' | 'upgrade'
  readonly informations: readonly number[]
  readonly status: number
  readonly framing:
    | 'exact'
    | 'none'
    | 'shorter'
    | 'longer'
    | 'zero'
    | 'chunked'
    | 'chunks'
    | 'unfinished'
    | 'both'
    | 'silent'
  readonly keepAlive: '' | 'Connection: close' | 'Connection: keep-alive' | 'Keep-Alive: timeout=60'
  /** How the answer is cut into writes: at every byte, at some places, or not at all. */
  readonly cuts: 'every' | readonly number[]
  /** What follows the answer, and when. */
  readonly tail: 'none' | 'byte' | 'line' | 'answer' | 'information' | 'chunk'
  readonly tailWhen: When
  readonly ends: 'keep' | 'fin' | 'reset'
  readonly endsWhen: When
}

/** A sane answer, to tell that what is right still goes through. */
export const isSane = (one: Exchange): boolean =>
  one.asks === 'GET' &&
  one.informations.length === 0 &&
  one.status === 200 &&
  one.framing === 'exact' &&
  one.tail === 'none' &&
  one.ends === 'keep'

/** Whether no connection may carry another request after it: see `ResponseParser`. */
export const endsConnection = (one: Exchange): boolean =>
  one.asks === 'HEAD' ||
  one.asks === 'half' ||
  one.asks === 'upgrade' ||
  one.status === 204 ||
  one.status === 304 ||
  one.informations.length > 0 ||
  one.keepAlive === 'Connection: close' ||
  !['exact', 'chunked', 'chunks'].includes(one.framing) ||
  (one.tail !== 'none' && one.tailWhen !== 'next')

/** The answer to an exchange as the origin writes it, every part with the mark that tells whose it is. */
export function answerOf(one: Exchange, mark: string): string {
  const body = `${mark}${'.'.repeat(7)}${mark}`
  const lines = one.keepAlive === '' ? [] : [one.keepAlive]
  const informations = one.informations
    .map((status) => `HTTP/1.1 ${status} I\r\nX-Mark: ${mark}\r\n\r\n`)
    .join('')
  const head = (...more: string[]): string =>
    `${informations}HTTP/1.1 ${one.status} S\r\n${[`X-Mark: ${mark}`, ...lines, ...more].join('\r\n')}\r\n\r\n`
  const half = body.length >> 1
  switch (one.framing) {
    case 'exact':
      return head(`Content-Length: ${body.length}`) + body
    case 'none':
      return head() + body
    case 'shorter':
      return head(`Content-Length: ${body.length}`) + body.slice(0, half)
    case 'longer':
      return head(`Content-Length: ${half}`) + body
    case 'zero':
      return head('Content-Length: 0') + body
    case 'chunked':
      return head('Transfer-Encoding: chunked') + chunk(body) + END
    case 'chunks':
      return head('Transfer-Encoding: chunked') + [...body].map((byte) => chunk(byte, ';x')).join('') + END
    case 'unfinished':
      return head('Transfer-Encoding: chunked') + chunk(body)
    case 'both':
      return head(`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked') + chunk(body) + END
    case 'silent':
      return informations
  }
}

/** What comes after the answer, as the next one or a part of it. */
export function tailOf(one: Exchange, mark: string): string {
  const late = `late ${mark}`
  switch (one.tail) {
    case 'none':
      return ''
    case 'byte':
      return 'H'
    case 'line':
      return '\r\n'
    case 'answer':
      return `HTTP/1.1 200 OK\r\nX-Mark: ${mark}\r\nContent-Length: ${late.length}\r\n\r\n${late}`
    case 'information':
      return `HTTP/1.1 103 Early Hints\r\nX-Mark: ${mark}\r\n\r\n`
    case 'chunk':
      return chunk(late) + END
  }
}

const END = '0\r\n\r\n'
const chunk = (text: string, extension = ''): string =>
  `${text.length.toString(16)}${extension}\r\n${text}\r\n`

const when = fc.constantFrom<When>('now', 'turn', 'answered', 'next')

const exchange = (who: fc.Arbitrary<'A' | 'B'>): fc.Arbitrary<Exchange> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ ...parts, who }) },
    { weight: 1, arbitrary: fc.record({ ...SANE, who }) },
  )

const parts = {
  asks: fc.constantFrom<Exchange['asks']>('GET', 'GET', 'GET', 'HEAD', 'POST', 'half', 'upgrade'),
  informations: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(100, 102, 103, 199), { minLength: 1, maxLength: 3 }) },
  ),
  status: fc.constantFrom(200, 200, 200, 204, 304, 404, 503, 101),
  framing: fc.constantFrom<Exchange['framing']>(
    ...(['exact', 'exact', 'exact', 'none', 'shorter', 'longer', 'zero'] as const),
    ...(['chunked', 'chunked', 'chunks', 'unfinished', 'both', 'silent'] as const),
  ),
  keepAlive: fc.constantFrom<Exchange['keepAlive']>(
    ...(['', '', 'Connection: close', 'Connection: keep-alive', 'Keep-Alive: timeout=60'] as const),
  ),
  cuts: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(fc.nat(200), { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant('every' as const) },
  ),
  tail: fc.constantFrom<Exchange['tail']>(
    'none',
    'none',
    'byte',
    'line',
    'answer',
    'answer',
    'information',
    'chunk',
  ),
  tailWhen: when,
  ends: fc.constantFrom<Exchange['ends']>('keep', 'keep', 'fin', 'reset'),
  endsWhen: when,
}

const SANE = {
  ...parts,
  asks: fc.constant('GET' as const),
  informations: fc.constant([]),
  status: fc.constant(200),
  framing: fc.constant('exact' as const),
  tail: fc.constant('none' as const),
  ends: fc.constant('keep' as const),
}

/** A's exchange and up to three more of either. */
export const sequences: fc.Arbitrary<Exchange[]> = fc
  .tuple(
    exchange(fc.constant('A')),
    fc.array(exchange(fc.constantFrom('A', 'B')), { minLength: 1, maxLength: 3 }),
  )
  .map(([first, others]) => [first, ...others])
