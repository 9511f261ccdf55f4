import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  mapLink,
  mapOrigins,
  mapRefresh,
  mapStrings,
  mapUrlOrJson,
} from '../../../../src/upstream/forward/headers/url-headers.ts'

const mark = (url: string): string => `[${url}]`

test('the URL of a Refresh is found where browsers find it', () => {
  const mapped = {
    '0; url=https://a.example/': '0; url=[https://a.example/]',
    '5;URL = "https://a.example/"': '5;URL = "[https://a.example/]"',
    "1.5,'//a.example'; x": "1.5,'[//a.example]'; x",
    '3 //a.example': '3 [//a.example]',
    '.; url="https://a.example': '.; url="[https://a.example]',
    '0;https://a.example/url=b': '0;[https://a.example/url=b]',
    '\t0\t;\turl\t=\t/here': '\t0\t;\turl\t=\t[/here]',
  }
  for (const [value, expected] of Object.entries(mapped)) assert.equal(mapRefresh(value, mark), expected)
  for (const value of ['', '5', '5;', '5; url=', '5; url=""', 'x; url=a', 'https://a.example', '5x; url=a'])
    assert.equal(mapRefresh(value, mark), value)
})

test('the targets of a Link are found, and nothing else that looks like one', () => {
  const mapped = {
    '<https://a.example/>; rel=next': '<[https://a.example/]>; rel=next',
    '</a>; rel="x", <b>;title="<c>, \\"<d>"; y, <>': '<[/a]>; rel="x", <[b]>;title="<c>, \\"<d>"; y, <[]>',
    'x <a,b> y': 'x <[a,b]> y',
    '<a>; title="open, <b>': '<[a]>; title="open, <b>',
  }
  for (const [value, expected] of Object.entries(mapped)) assert.equal(mapLink(value, mark, mark), expected)
  for (const value of ['', 'a', '<a', '"<a>"', '"\\"<a>']) assert.equal(mapLink(value, mark, mark), value)
})

test('the anchors of a Link are found, and no other of its parameters', () => {
  const mapped = {
    '<a>; rel="b"; anchor="c"; title="d", <e>;Anchor = "#f"':
      '<a>; rel="b"; anchor="[c]"; title="d", <e>;Anchor = "[#f]"',
    '<a>; title="; anchor="; x="b"': '<a>; title="; anchor="; x="b"',
    '<a>; anchors="b"; x-anchor="c"; anchor="d': '<a>; anchors="b"; x-anchor="c"; anchor="[d]',
  }
  const same = (url: string): string => url
  for (const [value, expected] of Object.entries(mapped)) assert.equal(mapLink(value, same, mark), expected)
})

test('a URL by itself is found, and those in JSON', () => {
  assert.equal(mapUrlOrJson('/a"b"', mark), '[/a"b"]')
  assert.equal(mapUrlOrJson('{"path":"/a","n":1}', mark), '{"[path]":"[/a]","[n]":1}')
})

test('strings of a structured header and origins of a list are found, each once', () => {
  const mapped = {
    'own="https://a.example/r", x="/r"': 'own="[https://a.example/r]", x="[/r]"',
    'camera=(self "https://a.example"), usb=()': 'camera=(self "[https://a.example]"), usb=()',
    '"a\\"b" "c': '"[a\\"b]" "[c]',
    '""': '"[]"',
  }
  for (const [value, expected] of Object.entries(mapped)) assert.equal(mapStrings(value, mark), expected)
  for (const value of ['', 'a', 'usb=()']) assert.equal(mapStrings(value, mark), value)
  assert.equal(mapOrigins('https://a.example,*, null', mark), '[https://a.example],[*], [null]')
})
