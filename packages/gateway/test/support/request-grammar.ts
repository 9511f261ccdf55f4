/**
 * A grammar of hostile requests, for HTTP/1.1 connections and HTTP/2 streams: targets spelled in all ways, framing
 * headers that contradict each other, headers that replace the path or the method, bodies that look like requests, and
 * single bytes inserted, dropped and doubled anywhere. The same seed makes the same requests.
 */
import { randomOf, spellPath } from '../../../policy/test/paths/path-spellings.ts'
import { CHUNKED_BODIES, HEADER_LINES, LENGTHS, SMUGGLED, TRANSFER_ENCODINGS } from './desync-vectors.ts'
import { HOST, KEY } from './test-data-plane.ts'

type Random = () => number
const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item

const METHODS = [
  'GET',
  'GET',
  'GET',
  'POST',
  'POST',
  'PUT',
  'HEAD',
  'OPTIONS',
  'DELETE',
  'TRACE',
  'COPY',
  'PROPFIND',
  'M-SEARCH',
  'get',
  'A!',
]
const PATHS = [
  ['admin', 'secret'],
  ['admin'],
  ['admin', 'x', 'y'],
  ['public'],
  ['p', 'admin-like'],
  ['x', 'y', 'z'],
]
const VERSIONS = [
  ...Array<string>(12).fill('HTTP/1.1'),
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/1.10',
  'HTTP/2',
  '',
]

/** Headers by which some origin is told another method or path; the origin of the test obeys each of them. */
export const METHOD_HEADERS = ['x-http-method-override', 'x-http-method', 'x-method-override']
export const TARGET_HEADERS = ['x-original-url', 'x-rewrite-url']

/** Bytes at which parsers part ways. */
const ODD = [
  '\r',
  '\n',
  '\0',
  '\t',
  ' ',
  '\x0b',
  '\x0c',
  '\x7f',
  '\x85',
  '\xa0',
  '\xff',
  ':',
  ';',
  ',',
  '"',
  '\\',
  '%',
  '#',
  '?',
  '0',
  '-',
  '_',
]

const respell = (name: string, random: Random): string =>
  [...name]
    .map((letter) =>
      random() < 0.2 ? letter.toUpperCase() : random() < 0.05 && letter === '-' ? '_' : letter,
    )
    .join('')

function override(random: Random): string {
  if (random() < 0.5)
    return `${respell(pick(random, METHOD_HEADERS), random)}: ${pick(random, ['DELETE', 'delete', 'PUT, DELETE', ' DELETE'])}`
  return `${respell(pick(random, TARGET_HEADERS), random)}: ${spellPath(pick(random, PATHS), random)}`
}

/** Inserts, drops or doubles single bytes. */
function mutate(text: string, random: Random): string {
  let mutated = text
  for (let left = Math.floor(random() * 3) + 1; left > 0; left -= 1) {
    const at = Math.floor(random() * mutated.length)
    const choice = random()
    if (choice < 0.5) mutated = mutated.slice(0, at) + pick(random, ODD) + mutated.slice(at)
    else if (choice < 0.7) mutated = mutated.slice(0, at) + mutated.slice(at + 1)
    else if (choice < 0.85) mutated = mutated.slice(0, at) + pick(random, ODD) + mutated.slice(at + 1)
    else mutated = mutated.slice(0, at) + mutated.slice(at, at + 8) + mutated.slice(at)
  }
  return mutated
}

const target = (random: Random): string => spellPath(pick(random, PATHS), random)

function headerLines(random: Random): string[] {
  const lines = random() < 0.97 ? [`Host: ${HOST}`, `Sallyport-Key: ${KEY}`] : [`Sallyport-Key: ${KEY}`]
  if (random() < 0.25) lines.push(pick(random, HEADER_LINES))
  if (random() < 0.3) lines.push(override(random))
  if (random() < 0.2) lines.splice(Math.floor(random() * lines.length), 0, pick(random, LENGTHS))
  if (random() < 0.2) lines.splice(Math.floor(random() * lines.length), 0, pick(random, TRANSFER_ENCODINGS))
  return lines
}

const BODIES = ['', '', 'hello', '_method=DELETE', SMUGGLED, ...CHUNKED_BODIES]

/** What goes over one HTTP/1.1 connection: one to three requests, one character per byte. */
export function* http1Scripts(count: number, seed: number): Generator<string> {
  const random = randomOf(seed)
  for (let made = 0; made < count; made += 1) {
    let script = ''
    for (let left = Math.floor(random() * 3) + 1; left > 0; left -= 1) {
      const line = `${pick(random, METHODS)} ${target(random)} ${pick(random, VERSIONS)}`
      const head = [line, ...headerLines(random), '', ''].join('\r\n')
      const body = pick(random, BODIES)
      // The smuggled request stays as it is: with another path it would be an honest one.
      const [changed, kept] = body === SMUGGLED ? [head, body] : [head + body, '']
      script += (random() < 0.3 ? mutate(changed, random) : changed) + kept
    }
    yield script + (random() < 0.5 ? SMUGGLED : '')
  }
}

export type FieldList = readonly (readonly [name: string, value: string])[]

const INJECTIONS = [
  '\r\nX-Smuggled: 1',
  '\nX-Smuggled: 1',
  '\rX-Smuggled: 1',
  `\r\n\r\n${SMUGGLED}`,
  '\0',
  '\x7f',
  ' HTTP/1.1\r\nX-Smuggled: 1\r\n\r\n',
]
const injected = (text: string, random: Random): string => {
  const at = Math.floor(random() * (text.length + 1))
  return text.slice(0, at) + pick(random, INJECTIONS) + text.slice(at)
}

const CONNECTION_FIELDS: FieldList = [
  ['connection', 'close'],
  ['connection', 'sallyport-key, host'],
  ['transfer-encoding', 'chunked'],
  ['upgrade', 'websocket'],
  ['keep-alive', 'timeout=5'],
  ['te', 'gzip'],
  ['host', HOST],
  ['host', 'evil.example'],
  ['content-length', '5'],
  ['content-length', '+5'],
  [':path', '/admin/secret'],
  [':authority', 'evil.example'],
  [':protocol', 'websocket'],
  [':status', '200'],
  ['Upper-Case', 'x'],
  ['', 'no name'],
  ['x y', 'z'],
  ['cookie', 'a=b'],
  ['cookie', 'c=d; e=f'],
]

/** The header fields of one HTTP/2 request, and its body; null where the stream ends with its head. */
export function* http2Requests(
  count: number,
  seed: number,
): Generator<{ fields: FieldList; body: string | null }> {
  const random = randomOf(seed)
  for (let made = 0; made < count; made += 1) {
    const fields: [string, string][] = [
      [':method', pick(random, METHODS)],
      [':path', target(random)],
      [':scheme', 'https'],
      [':authority', HOST],
      ['sallyport-key', KEY],
    ]
    if (random() < 0.4) {
      const [name, value] = pick(random, CONNECTION_FIELDS)
      fields.splice(random() < 0.8 ? fields.length : Math.floor(random() * fields.length), 0, [name, value])
    }
    if (random() < 0.3) {
      const [name = '', value = ''] = override(random).split(': ', 2)
      fields.push([name.toLowerCase(), value])
    }
    if (random() < 0.3) {
      const at = Math.floor(random() * fields.length)
      const [name, value] = fields[at] ?? ['', '']
      fields[at] = random() < 0.5 ? [injected(name, random), value] : [name, injected(value, random)]
    }
    yield { fields, body: random() < 0.4 ? pick(random, BODIES) : null }
  }
}
