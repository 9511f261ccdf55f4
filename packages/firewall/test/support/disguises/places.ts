/** Disguises that are made of the place: headers, names, cookies, paths, and what straddles the ends of pairs. */
import type { TestRequest } from '../corpus.ts'
import { get, post } from '../requests.ts'
import { percent } from './characters.ts'

type Disguise = (text: string, index: number) => TestRequest

const FORM = 'application/x-www-form-urlencoded'
const line = (text: string): string => text.replace(/[\r\n]+/g, ' ')
/** Escaped but for the signs that divide pairs. */
const straddling = (text: string): string => percent(text).replaceAll('%3d', '=').replaceAll('%26', '&')

const HEADERS = [
  'X-Forwarded-For',
  'X-Api-Version',
  'Accept-Language',
  'Origin',
  'X-Requested-With',
  'X-Forwarded-Host',
  'True-Client-Ip',
  'X-Trace',
  'From',
  'Via',
]

export const OF_PLACE: Readonly<Record<string, Disguise>> = {
  'header of any name': (text, index) => get('/', { [HEADERS[index % HEADERS.length] ?? '']: line(text) }),
  'header, percent': (text, index) => get('/', { [HEADERS[index % HEADERS.length] ?? '']: percent(text) }),
  'header, base64': (text, index) =>
    get('/', { [HEADERS[index % HEADERS.length] ?? '']: Buffer.from(text).toString('base64') }),
  'header, Basic credentials': (text) =>
    get('/', { Authorization: `Basic ${Buffer.from(`${text}:x`).toString('base64')}` }),
  'header, Bearer token': (text) => get('/', { Authorization: `Bearer ${line(text)}` }),
  'User-Agent': (text) => get('/', { 'User-Agent': line(text) }),
  'Referer, in its query': (text) => get('/', { Referer: `http://shop.example/?q=${percent(text)}` }),
  'header name': (text) => get('/', { [percent(text)]: '1' }),
  'cookie value': (text) => get('/', { Cookie: `sid=1; note=${percent(text)}` }),
  'cookie value, in quotes': (text) =>
    get('/', { Cookie: `sid=1; note="${line(text).replace(/[;"]/g, percent)}"` }),
  'cookie value, base64': (text) => get('/', { Cookie: `note=${Buffer.from(text).toString('base64')}` }),
  'cookie name': (text) => get('/', { Cookie: `sid=1; ${percent(text)}=1` }),
  'cookie, JSON': (text) => get('/', { Cookie: `note=j%3A${percent(JSON.stringify({ a: text }))}` }),
  'parameter name in a query': (text) => get(`/?${percent(text)}=1`),
  'parameter name in brackets': (text) => get(`/?item[${percent(text)}]=1`),
  'parameter name in a form': (text) => post(FORM, `${percent(text)}=1`),
  'name in JSON': (text) => post('application/json', JSON.stringify({ id: 17, [text]: 1 })),
  'name deep in JSON': (text) => post('application/json', JSON.stringify({ a: [{ [text]: { b: 1 } }] })),
  'attribute name in XML': (text) =>
    post(
      'application/xml',
      `<a><b note="${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')}"/></a>`,
    ),
  'whole query': (text) => get(`/?${percent(text)}`),
  'whole form': (text) => post(FORM, percent(text)),
  'path segment': (text) => get(`/docs/${percent(text)}/edit`),
  'path parameter': (text) => get(`/docs;note=${percent(text)}/edit`),
  fragment: (text) => get(`/docs#${percent(text)}`),
  'plus as blank in a path': (text) => get(`/docs/${percent(text).replaceAll('%20', '+')}`),
  'plus as blank in a cookie': (text) => get('/', { Cookie: `note=${percent(text).replaceAll('%20', '+')}` }),
  'semicolon between pairs': (text) => get(`/?a=1;note=${percent(text)}`),
  'array of one name': (text) => get(`/?note[]=1&note[]=${percent(text)}`),
  'URL in a value': (text) => get(`/?next=${percent(`http://shop.example/?q=${percent(text)}`)}`),
}

/** Of texts that have an equals sign or an ampersand. */
export const STRADDLING: Readonly<Record<string, Disguise>> = {
  'straddles pairs of a query': (text) => get(`/?${straddling(text)}`),
  'straddles pairs of a query, in a value': (text) => get(`/?a=1&note=${straddling(text)}`),
  'straddles pairs of a form': (text) => post(FORM, straddling(text)),
  'straddles pairs of a form, in a value': (text) => post(FORM, `a=1&note=${straddling(text)}`),
}

/** Cut in two at a blank that a comma replaces, where an origin joins values of one name by it. */
export const SPLIT: Readonly<Record<string, Disguise>> = {
  'two values of one name': (text) =>
    get(
      `/?${halves(text)
        .map((half) => `note=${percent(half)}`)
        .join('&')}`,
    ),
  'two values of one name in a form': (text) =>
    post(
      FORM,
      halves(text)
        .map((half) => `note=${percent(half)}`)
        .join('&'),
    ),
}

/** A comment around the comma that stands between the halves. */
function halves(text: string): string[] {
  const blank = text.indexOf(' ', text.length / 3)
  return blank < 0 ? [text] : [`${text.slice(0, blank)}/*`, `*/${text.slice(blank + 1)}`]
}
