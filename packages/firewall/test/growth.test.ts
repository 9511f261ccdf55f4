/** The cost of taking a request apart for inspection grows with its length, and no faster. */
import { isLinear as isLinearOn, type Make, repeat } from '../../../test/support/growth.ts'
import { bodyValues, encodedBodyValues } from '../src/body/body-values.ts'
import { parameters, parseContentType } from '../src/body/content-type.ts'
import { isGraphqlDocument } from '../src/body/graphql-body.ts'
import { decodeTransfer } from '../src/body/transfer-encoding.ts'
import { decodeBase64 } from '../src/decoding/base64-decoding.ts'
import { pieceGroupsOf } from '../src/decoding/decoded-variants.ts'
import { decodeEntities } from '../src/decoding/entity-decoding.ts'
import { decodeEscapes } from '../src/decoding/escape-decoding.ts'
import { percentDecode } from '../src/decoding/percent-decoding.ts'
import { windowsOf } from '../src/decoding/windows.ts'
import { headValues } from '../src/request/head-values.ts'

const HARD: Readonly<Record<string, Make>> = {
  letters: repeat('a'),
  blanks: repeat(' ', 'a', 'b'),
  'line ends': repeat('\r\n'),
  commas: repeat(','),
  semicolons: repeat(';'),
  'names and no value': repeat('; a'),
  'values that never end': repeat(';a="'),
  'quoted pairs': repeat('\\"', ';a="'),
  percent: repeat('%'),
  'percent, almost': repeat('%2'),
  'percent of percent': repeat('%25'),
  ampersands: repeat('&'),
  entities: repeat('&#x41;'),
  'entities, almost': repeat('&#'),
  'long entities': repeat('0', '&#x'),
  escapes: repeat('\\u0041'),
  'escapes, almost': repeat('\\u00'),
  'base64, and no end': repeat('QUFB'),
  'base64 and breaks': repeat('QUFB\n'),
  'parameters of a form': repeat('&a=b'),
  'names with brackets': repeat('&a[b][c]=1'),
  brackets: repeat('['),
  'open brackets of objects': repeat('{"a":'),
  'open strings': repeat('"'),
  numbers: repeat('1,', '[', '1]'),
  'open angles': repeat('<'),
  elements: repeat('<a>'),
  'elements with attributes': repeat('<a b="c">'),
  'attributes of one element': repeat(' a="b"', '<a'),
  comments: repeat('<!--'),
  sections: repeat('<![CDATA['),
  'declarations of entities': repeat('<!ENTITY a "b">', '<!DOCTYPE a [', ']>'),
  references: repeat('&a;', '<a>'),
  boundaries: repeat('--b0\r\n'),
  'boundaries, almost': repeat('\r\n--b'),
  parts: repeat('--b0\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n'),
  'one part of many fields': repeat('a: b\r\n', '--b0\r\n'),
  'one part of many parameters': repeat('; a=b', '--b0\r\nContent-Disposition: form-data'),
  'other letters': repeat('\u0130\u212a'),
}

const isLinear = (name: string, read: (text: string) => unknown, texts = HARD): void =>
  isLinearOn(name, read, texts)

const drop = (): void => undefined
/** Takes all steps. */
function drain(steps: Iterator<unknown>): void {
  while (!steps.next().done);
}

for (const contentType of [
  'application/x-www-form-urlencoded',
  'application/json',
  'application/xml',
  'multipart/form-data; boundary=b0',
  'application/graphql',
  'text/plain; charset=utf-7',
  'text/plain; charset=utf-16',
  '',
])
  isLinear(`a body of ${contentType || 'no type'}`, (text) => {
    const body = { bytes: Buffer.from(text), contentType, host: 'a.example' }
    drain(bodyValues(body, drop))
    drain(encodedBodyValues(body, false, drop))
  })

isLinear('a head', (text) =>
  drain(
    headValues(
      {
        method: 'GET',
        target: `/${text}?${text}`,
        rawHeaders: [
          'Host',
          'a',
          'Cookie',
          text,
          'Referer',
          text,
          'X-Filename',
          text,
          text.slice(0, 1_000),
          '',
        ],
      },
      drop,
      () => false,
    ),
  ),
)
isLinear('Content-Type', (text) => {
  parseContentType(text)
  parseContentType(`multipart/form-data${text}`)
  parameters(`form-data${text}`, 'name')
})
isLinear('the decodings of a value', (text) => {
  decodeBase64(text)
  decodeEntities(text)
  decodeEscapes(text)
  percentDecode(text)
  isGraphqlDocument(text)
  windowsOf(text)
})
isLinear('the decoded variants of a value', (text) => drain(pieceGroupsOf(text)))
isLinear('the encodings of a part', (text) => {
  for (const encoding of ['base64', 'quoted-printable']) decodeTransfer(Buffer.from(text), encoding)
})
