/** The cost of judging a request grows with its length, and no faster, whatever the definition asks of it. */
import { isLinear, type Make, repeat } from '../../../test/support/growth.ts'
import { definitionOf } from './support.ts'

const responses = { 200: { description: '' } }
const text = { type: 'string', pattern: '^(?:a+)+$', maxLength: 1_000_000 }
const definition = definitionOf({
  openapi: '3.1.0',
  info: { title: 'Hostile', version: '1' },
  paths: {
    '/a': {
      get: {
        parameters: [
          ...Array.from({ length: 50 }, (_, index) => ({
            name: `p${index}`,
            in: 'query',
            schema: { type: 'integer' },
          })),
          { name: 'list', in: 'query', schema: { type: 'array', uniqueItems: true, items: text } },
          { name: 'deep', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
          { name: 'spread', in: 'query', schema: { type: 'object', properties: { x: text, y: {} } } },
          { name: 'c', in: 'cookie', schema: { type: 'integer' } },
          { name: 'h', in: 'header', schema: { type: 'array', items: { type: 'integer' } } },
        ],
        responses,
      },
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: { type: ['array', 'object'], uniqueItems: true, items: {}, additionalProperties: text },
            },
            'application/x-www-form-urlencoded': { schema: { type: 'object', additionalProperties: text } },
            'multipart/form-data': {
              schema: { type: 'object', required: ['a'], additionalProperties: false },
            },
          },
        },
        responses,
      },
    },
    '/{a}/{b}/{c}/{d}': { get: { responses } },
    '/{a}-{b}-{c}': { get: { responses } },
  },
})

const QUERIES: Readonly<Record<string, Make>> = {
  ampersands: repeat('&'),
  names: repeat('&a'),
  'one name': repeat('&p7=1'),
  'one name in many spellings': repeat('&P7[]=1'),
  'a list': repeat('&list=a'),
  'a list of long items': repeat('a', 'list='),
  'a deep object': repeat('[a]', 'deep', '=1'),
  'many members': repeat('&deep[a]=1'),
  'a spread object': repeat('&x=a'),
  escapes: repeat('%25'),
  pluses: repeat('+', 'list='),
}
const BODIES: Readonly<Record<string, Make>> = {
  'open brackets': repeat('['),
  'nested lists': (chars) => '['.repeat(chars / 2) + ']'.repeat(chars / 2),
  numbers: repeat('1,', '[', '1]'),
  'equal members': repeat('"a":1,', '{', '"b":1}'),
  'a long text': repeat('a', '{"a":"', '"}'),
  'a long text that does not match': repeat('a', '{"a":"', '!"}'),
  quotes: repeat('\\"', '["', '"]'),
  parts: repeat('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'),
  boundaries: repeat('\r\n--'),
  'a form': repeat('&a=a'),
}
const PATHS: Readonly<Record<string, Make>> = {
  slashes: repeat('/'),
  segments: repeat('/a'),
  hyphens: repeat('-', '/'),
  letters: repeat('a', '/'),
}

const judge = (method: string, path: string, query: string, rawHeaders: readonly string[] = []) =>
  definition.judge(
    { methods: [method], path, readings: [path], query, rawHeaders },
    { judgesUndeclared: true },
  )

isLinear('queries', (query) => judge('GET', '/a', query), QUERIES)
isLinear('cookies', (value) => judge('GET', '/a', '', ['Cookie', value]), {
  pairs: repeat(' c=1;'),
  equals: repeat('='),
})
isLinear('headers', (value) => judge('GET', '/a', '', ['h', value]), {
  commas: repeat('1,'),
  blanks: repeat(' '),
})
isLinear('paths', (path) => judge('GET', path, ''), PATHS)
for (const type of [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
])
  isLinear(
    type,
    (body) => judge('POST', '/a', '').judgeBody({ contentTypes: [type], bytes: Buffer.from(body) }),
    BODIES,
  )
