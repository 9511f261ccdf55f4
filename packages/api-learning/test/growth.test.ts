/** What researchers send is read in linear time, however it is made. */
import { isLinear, type Make, repeat } from '../../../test/support/growth.ts'
import { shapeOf } from '../src/index.ts'
import { queryParameters } from '../src/requests/query.ts'
import { typeOfSegment } from '../src/requests/segments.ts'

const HARD: Readonly<Record<string, Make>> = {
  letters: repeat('a'),
  digits: repeat('7', '', 'x'),
  'letters and digits': repeat('a1'),
  'capitals and digits': repeat('A1', '', '-'),
  hyphens: repeat('-1a'),
  dots: repeat('a.', 'a@', '.'),
  at: repeat('@'),
  escapes: repeat('%41'),
  'broken escapes': repeat('%'),
}

isLinear('segments', (text) => typeOfSegment(text, ''), HARD)
isLinear('paths', (text) => shapeOf(`/${text}`), { ...HARD, segments: repeat('/a'), slashes: repeat('/') })
isLinear('queries', (text) => queryParameters(`/?${text}`), {
  ...HARD,
  names: repeat('a=1&b', 'x'),
  'one long value': repeat('a', 'x='),
  separators: repeat('&'),
})
