import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  asCurl,
  asRawHttp,
  type CopiedRequest,
  shellWord,
} from '../../../../src/pages/traffic/inspector/copy-request.ts'

const REQUEST: CopiedRequest = {
  method: 'GET',
  scheme: 'https',
  host: 'shop.gate.example',
  target: "/a?q=1'or'1'='1",
  userAgent: 'curl/8',
  credential: 'key',
  httpVersion: '1.1',
}

/** The words that a shell makes of a command, with a function in place of the program. */
const wordsOf = (command: string): string[] =>
  execFileSync('bash', ['--norc', '-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    env: { PATH: process.env.PATH, SALLYPORT_KEY: 'the-key', LC_ALL: 'C.UTF-8' },
    encoding: 'utf8',
  })
    .split('\0')
    .slice(0, -1)

test('a request is a command that a shell reads as it was', () => {
  assert.deepEqual(wordsOf(asCurl(REQUEST, ':8443')), [
    '--globoff',
    '--path-as-is',
    '--header',
    'User-Agent: curl/8',
    '-H',
    'Sallyport-Key: the-key',
    '--url',
    "https://shop.gate.example:8443/a?q=1'or'1'='1",
  ])
  const odd = asCurl({ ...REQUEST, method: '-o/tmp/x', target: '*', userAgent: '', credential: 'none' }, '')
  assert.deepEqual(wordsOf(odd).slice(2), [
    '--request',
    '-o/tmp/x',
    '--request-target',
    '*',
    '--header',
    'User-Agent:',
    '--url',
    'https://shop.gate.example/',
  ])
})

test('a target that is no path of a URL is sent as it was', () => {
  for (const target of ['/a#b', '/a b', '/\u00e9', 'http://elsewhere.example/', '/a\tb']) {
    const words = wordsOf(asCurl({ ...REQUEST, target }, ''))
    assert.equal(words[words.indexOf('--request-target') + 1], target)
    assert.equal(words.at(-1), 'https://shop.gate.example/')
  }
})

test('nothing ends a quotation, whatever it holds, and nothing in it hides', () => {
  const hostile = [
    "'; touch /tmp/x; '",
    '$(id)',
    '`id`',
    '\\',
    "\\'",
    '!!',
    '\u202e',
    '\u001b[2J',
    '@/etc/passwd',
  ]
  const word = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.constantFrom(...hostile))
  const texts = fc.sample(word, 300).map((text) => text.toWellFormed().replaceAll('\0', ''))
  const command = `curl ${texts.map(shellWord).join(' ')}`
  assert.deepEqual(wordsOf(command), texts)
  assert.doesNotMatch(command, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
})

test('raw HTTP has the lines of its head, and no more', () => {
  assert.equal(
    asRawHttp({ ...REQUEST, userAgent: 'x\r\nInjected: y' }),
    "GET /a?q=1'or'1'='1 HTTP/1.1\r\nHost: shop.gate.example\r\nUser-Agent: x Injected: y\r\n\r\n",
  )
})
