import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, ownRules } from '../../src/index.ts'
import { formPairs } from '../../src/request/query.ts'
import { inspect } from '../support/corpus.ts'
import { get, post } from '../support/requests.ts'

const pairsOf = (text: string): string[] =>
  Array.from(formPairs(text), ({ name, value }) => `${name}:${value}`)

test('pairs come in their order, and behind a name whose equals sign was escaped those that it is for others', () => {
  assert.deepEqual(pairsOf('a=1&&b&=c&a=2=3'), ['a:1', 'b:', ':c', 'a:2=3'])
  assert.deepEqual(pairsOf('a%3D1%26b%3D2+3&c=4'), ['a=1&b=2 3:', 'a:1', 'b:2 3', 'c:4'])
  assert.deepEqual(pairsOf('a%3Db%3Dc'), ['a=b=c:', 'a:b=c'])
})

const engine = createEngine([ownRules()])

test('what begins a value is seen there, too', async () => {
  for (const request of [
    get('/?q%3D%7C%7C%28flag%21%3D0%29'),
    post('', 'q%3D%7C%7C%28flag%21%3D0%29'),
    post('application/x-www-form-urlencoded', 'a=1&q%3D%7C%7C%28flag%21%3D0%29'),
  ]) {
    const { hits } = await inspect(engine, request)
    assert.ok(hits.some(({ rule, parameter }) => rule === 'sp-sqli-leading-operator' && parameter === 'q'))
  }
})

test('settings in hidden folders and logs of errors are no pages, and documents under .well-known are', async () => {
  const isHit = async (path: string): Promise<boolean> =>
    (await inspect(engine, get(path))).hits.some(({ rule }) => rule === 'sp-hidden-file')
  for (const path of ['/.tool/settings.json', '/app/.x/y/z.env', '/.thingignore', '/blog/debug.log'])
    assert.equal(await isHit(path), true, path)
  for (const path of [
    '/.well-known/openid-configuration.json',
    '/.well-known/x/y.yml',
    '/docs/x.json',
    '/._Photo.jpg',
    '/changelog',
    '/catalog.log/x',
  ])
    assert.equal(await isHit(path), false, path)
})
