/** Disguises that are made of the body around a value: charsets, encodings, formats, multipart. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import type { TestRequest } from '../corpus.ts'
import { post } from '../requests.ts'
import { percent } from './characters.ts'
import { ibm037, utf7, utf16, utf32 } from './charsets.ts'

type Disguise = (text: string) => TestRequest

const FORM = 'application/x-www-form-urlencoded'
const json = (text: string): string => JSON.stringify({ id: 17, note: text })
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const phpString = (text: string): string => `s:${Buffer.byteLength(text)}:"${text}";`
const phpArray = (text: string): string => `a:2:{s:2:"id";i:17;s:4:"note";${phpString(text)}}`

/** A string in a `java.util.ArrayList` as Java's ObjectOutputStream writes it, or what readers of such a stream look for. */
const javaStream = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([
    Buffer.from('aced0005740004', 'hex'),
    Buffer.from('note'),
    Buffer.from('74', 'hex'),
    length,
    bytes,
  ])
}

/** A dictionary as Python's pickle writes it by protocol 4. */
const pickle = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  const frame = Buffer.concat([
    Buffer.from('7d948c046e6f7465948c', 'hex').subarray(0, -1),
    Buffer.from('58', 'hex'),
    length,
    bytes,
  ])
  return Buffer.concat([
    Buffer.from('80049500000000000000', 'hex'),
    Buffer.alloc(1),
    frame,
    Buffer.from('94732e', 'hex'),
  ])
}

export const OF_BODY: Readonly<Record<string, Disguise>> = {
  'JSON, escaped': (text) =>
    post(
      'application/json',
      `{"note":"${text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"}`,
    ),
  'JSON, percent': (text) => post('application/json', json(percent(text))),
  'JSON in a JSON string': (text) => post('application/json', json(json(text))),
  'JSON in a form': (text) => post(FORM, `data=${percent(json(text))}`),
  'JSON as text/plain': (text) => post('text/plain', json(text)),
  'form as text/plain': (text) => post('text/plain', `note=${percent(text)}`),
  'form in a JSON string': (text) => post('application/json', json(`id=17&note=${percent(text)}`)),
  'XML, entities': (text) =>
    post('application/xml', `<a><b>${Array.from(text, (c) => `&#${c.codePointAt(0)};`).join('')}</b></a>`),
  'XML, CDATA': (text) =>
    post('application/xml', `<a><b><![CDATA[${text.replaceAll(']]>', ']] >')}]]></b></a>`),
  'base64 in JSON': (text) => post('application/json', json(base64(text))),
  'base64 twice in JSON': (text) => post('application/json', json(base64(base64(text)))),
  'base64 without padding': (text) => post('application/json', json(base64(text).replace(/=+$/, ''))),
  'base64 in lines': (text) => post('application/json', json(base64(text).replace(/.{20}/g, '$&\r\n'))),
  'base64, URL-safe, in a form': (text) => post(FORM, `note=${Buffer.from(text).toString('base64url')}`),
  'base64 of JSON': (text) => post(FORM, `data=${percent(base64(json(text)))}`),
  'base64 with percent inside': (text) => post('application/json', json(base64(percent(text)))),
  'base64 in a data URL': (text) => post('application/json', json(`data:text/plain;base64,${base64(text)}`)),
  'base64 behind a prefix': (text) => post('application/json', json(`base64:${base64(text)}`)),
  'base64 of gzip': (text) => post('application/json', json(gzipSync(text).toString('base64'))),
  'base64 in PHP values': (text) => post(FORM, `data=${percent(phpArray(base64(text)))}`),
  'PHP values': (text) => post(FORM, `data=${percent(phpArray(text))}`),
  'PHP values in base64': (text) => post(FORM, `data=${percent(base64(phpArray(text)))}`),
  'Java stream in base64': (text) => post('application/json', json(javaStream(text).toString('base64'))),
  'Java stream': (text) => post('application/x-java-serialized-object', javaStream(text)),
  'pickle in base64': (text) => post('application/json', json(pickle(text).toString('base64'))),
  pickle: (text) => post('application/octet-stream', pickle(text)),
  'IBM037, JSON': (text) => post('application/json; charset=ibm037', ibm037(json(text))),
  'IBM037, form': (text) =>
    post(`${FORM}; charset=ibm037`, `${percentBytes(ibm037('note'))}=${percentBytes(ibm037(text))}`),
  'IBM037, text': (text) => post('text/plain; charset=cp037', ibm037(text)),
  'UTF-7, text': (text) => post('text/plain; charset=utf-7', utf7(text)),
  'UTF-7, form': (text) => post(`${FORM}; charset="UTF-7"`, `note=${percent(utf7(text))}`),
  'UTF-7, XML': (text) =>
    post(
      'application/xml',
      `<?xml version="1.0" encoding="UTF-7"?>${utf7(`<a><b>${escapeXml(text)}</b></a>`)}`,
    ),
  'UTF-16, JSON': (text) => post('application/json; charset=utf-16', utf16(json(text))),
  'UTF-16, undeclared': (text) => post('application/json', utf16(json(text))),
  'UTF-32, JSON': (text) => post('application/json; charset=utf-32', utf32(json(text))),
  'gzip, undeclared': (text) => post('application/json', gzipSync(json(text))),
  'gzip, undeclared, form': (text) => post(FORM, gzipSync(`note=${percent(text)}`)),
  'zlib, undeclared': (text) => post('application/json', deflateSync(json(text))),
  'gzip twice, declared once': (text) =>
    post('application/json', gzipSync(gzipSync(json(text))), { 'Content-Encoding': 'gzip' }),
  'deflate, declared': (text) =>
    post('application/json', deflateRawSync(json(text)), { 'Content-Encoding': 'deflate' }),
  'Brotli, declared': (text) =>
    post('application/json', brotliCompressSync(json(text)), { 'Content-Encoding': 'br' }),
  'GraphQL variable': (text) =>
    post(
      'application/json',
      JSON.stringify({ query: 'query($a:String){item(name:$a){id}}', variables: { a: text } }),
    ),
  'GraphQL argument': (text) =>
    post('application/json', JSON.stringify({ query: `{x1:item(name:${JSON.stringify(text)}){id}}` })),
  'GraphQL block string': (text) =>
    post(
      'application/json',
      JSON.stringify({ query: `{item(name:"""${text.replaceAll('"""', '\\"""')}"""){id}}` }),
    ),
  'GraphQL, escaped': (text) =>
    post(
      'application/graphql',
      `{item(name:"${text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"){id}}`,
    ),
  'GraphQL batch': (text) =>
    post(
      'application/json',
      JSON.stringify([{ query: '{a{id}}' }, { query: `{item(name:${JSON.stringify(text)}){id}}` }]),
    ),
}

const percentBytes = (bytes: Buffer): string => bytes.toString('hex').replace(/../g, '%$&')
const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const BOUNDARY = 'b0undary'
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&').replace(/[\r\n]/g, ' ')}"`
const part = (content: string, disposition = 'name="note"', headers = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n${content}\r\n`
const END = `--${BOUNDARY}--\r\n`
const line = (text: string): string => text.replace(/[\r\n]+/g, ' ')

export const OF_MULTIPART: Readonly<Record<string, Disguise>> = {
  field: (text) => post(MULTIPART, part(text) + END),
  'line feeds only': (text) => post(MULTIPART, (part(text) + END).replaceAll('\r\n', '\n')),
  'boundary in quotes with blanks': (text) =>
    post(`multipart/form-data; boundary="${BOUNDARY}" ; x=y`, part(text) + END),
  'two boundaries': (text) =>
    post(`multipart/form-data; boundary=other; boundary=${BOUNDARY}`, part(text) + END),
  'no end': (text) => post(MULTIPART, part(text)),
  preamble: (text) => post(MULTIPART, `${text}\r\n${part('x')}${END}`),
  epilogue: (text) => post(MULTIPART, `${part('x')}${END}${part(text)}`),
  'no type': (text) => post('', part(text) + END),
  'part in base64': (text) =>
    post(MULTIPART, part(base64(text), 'name="note"', 'Content-Transfer-Encoding: base64\r\n') + END),
  'part in quoted-printable': (text) =>
    post(
      MULTIPART,
      part(
        percent(text).replaceAll('%', '='),
        'name="note"',
        'Content-Transfer-Encoding: quoted-printable\r\n',
      ) + END,
    ),
  'part in UTF-7': (text) =>
    post(MULTIPART, part(utf7(text), 'name="note"', 'Content-Type: text/plain; charset=utf-7\r\n') + END),
  'part in IBM037': (text) =>
    post(
      MULTIPART,
      Buffer.concat([
        Buffer.from(
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="note"\r\nContent-Type: text/plain; charset=ibm037\r\n\r\n`,
        ),
        ibm037(text),
        Buffer.from(`\r\n${END}`),
      ]),
    ),
  'part in UTF-16': (text) =>
    post(
      MULTIPART,
      Buffer.concat([
        Buffer.from(
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="note"\r\nContent-Type: text/plain; charset=utf-16be\r\n\r\n`,
        ),
        utf16(text),
        Buffer.from(`\r\n${END}`),
      ]),
    ),
  'part in JSON': (text) =>
    post(MULTIPART, part(json(text), 'name="data"', 'Content-Type: application/json\r\n') + END),
  'charset of the form in a field': (text) =>
    post(MULTIPART, part('utf-7', 'name="_charset_"') + part(utf7(text)) + END),
  'nested multipart': (text) =>
    post(
      MULTIPART,
      part(
        `--inner\r\nContent-Disposition: attachment; name="note"\r\n\r\n${text}\r\n--inner--`,
        'name="all"',
        'Content-Type: multipart/mixed; boundary=inner\r\n',
      ) + END,
    ),
  'part name': (text) => post(MULTIPART, part('x', `name=${quoted(text)}`) + END),
  'part name, RFC 2231': (text) => post(MULTIPART, part('x', `name*=utf-8''${percent(text)}`) + END),
  'file name': (text) => post(MULTIPART, part('x', `name="f"; filename=${quoted(text)}`) + END),
  'file name, RFC 2231': (text) =>
    post(MULTIPART, part('x', `name="f"; filename*=utf-8''${percent(text)}`) + END),
  'file name, percent': (text) => post(MULTIPART, part('x', `name="f"; filename="${percent(text)}"`) + END),
  'file name, encoded word': (text) =>
    post(MULTIPART, part('x', `name="f"; filename="=?utf-8?B?${base64(text)}?="`) + END),
  'file content': (text) =>
    post(MULTIPART, part(text, 'name="f"; filename="a.txt"', 'Content-Type: text/plain\r\n') + END),
  'type of a part': (text) =>
    post(MULTIPART, part('x', 'name="f"; filename="a.txt"', `Content-Type: ${line(text)}\r\n`) + END),
  'header of a part': (text) => post(MULTIPART, part('x', 'name="f"', `X-Note: ${line(text)}\r\n`) + END),
  'standard header of a part': (text) =>
    post(MULTIPART, part('x', 'name="f"', `Content-Id: ${line(text)}\r\n`) + END),
  'parameter of a disposition': (text) => post(MULTIPART, part('x', `name="f"; note=${quoted(text)}`) + END),
}
