/** That a head costs what its length justifies: read, judged by block rules, and described for the record. */
import { test } from 'node:test'
import { parseRequestHead } from '@sallyport/http1'
import { BlockMatcher } from '@sallyport/policy'
import { blockRule } from '../../../../test/support/block-rule.ts'
import { assertCostRatio, filled } from '../../../../test/support/processor-time.ts'
import { readRequest } from '../../src/downstream/read-request.ts'
import { blockOf } from '../../src/headers/header-block.ts'
import { draftEvent } from '../../src/serve/draft-event.ts'
import { DEFAULT_GATEWAY_LIMITS } from '../../src/settings.ts'

const lines = (length: number, line: (index: number) => string): string =>
  Array.from({ length: Math.ceil(length / line(100).length) }, (_, index) => line(index)).join('')

/** Request lines and fields of about a length. */
const SHAPES: Readonly<Record<string, (length: number) => readonly [target: string, fields: string]>> = {
  'one segment': (length) => [`/${filled('a', length)}`, ''],
  segments: (length) => [filled('/abcdefg', length), ''],
  'segments that look like values': (length) => [filled('/12/a1b2c3d4e5f60718/a@b.c', length), ''],
  'segments without an end to what they look like': (length) => [filled('/1234-56-', length), ''],
  'one pair': (length) => [`/?a=${filled('b', length)}`, ''],
  'pairs of one name': (length) => [`/?${filled('a=b&', length)}`, ''],
  'pairs without a value': (length) => [`/?${filled('a&', length)}`, ''],
  'escaped names': (length) => [`/?${filled('%61%2', length)}`, ''],
  escapes: (length) => [filled('/%20a%20', length), ''],
  'dot segments': (length) => [filled('/a/../b/.', length), ''],
  'a long field': (length) => ['/', `X: ${filled('a ', length)}\r\n`],
  blanks: (length) => ['/', `X:${filled(' \t', length)}\r\n`],
  fields: (length) => ['/', lines(length, (index) => `X-${index}: b\r\n`)],
  'fields of one name': (length) => ['/', lines(length, () => 'Connection: a, b\r\n')],
  cookies: (length) => ['/', lines(length, (index) => `Cookie: a${index}=b\r\n`)],
}

const PEER = { clientAddress: '192.0.2.1', secure: false, serverName: '', tls: '' }
const MATCHER = new BlockMatcher([blockRule('r', '/x/y')])

function take([target, fields]: readonly [string, string]): void {
  const bytes = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a.example\r\n${fields}`.trimEnd(), 'latin1')
  const { request, userAgent } = readRequest(
    parseRequestHead(bytes.toString('latin1'), null, blockOf),
    PEER,
    DEFAULT_GATEWAY_LIMITS,
  )
  draftEvent(request, userAgent, '', 'gateway')
  MATCHER.match([request.method], request.target, 0)
}

const LENGTH = 4 * 1024
const TIMES = 8
/** Quadratic work would make it `TIMES`; doubled lengths at 2.3 times the time each would make it 1.5. */
const RATIO_MAX = TIMES / 2
/** Of each length, so often that the system's clock of processor time has something to say. */
const REPEATED = 4

for (const [name, shape] of Object.entries(SHAPES))
  test(`a head that is ${TIMES} times as long takes about as many times the work: ${name}`, () => {
    const short = shape(LENGTH)
    const long = shape(LENGTH * TIMES)
    const repeat = (count: number, part: readonly [string, string]) => () => {
      for (let index = 0; index < count; index += 1) take(part)
    }
    return assertCostRatio(repeat(REPEATED * TIMES, short), repeat(REPEATED, long), RATIO_MAX)
  })
