/** Answers of the API as they travel. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { takesGzip } from '@sallyport/toolbox'
import { padded } from '../../../src/http/answer/compress-answers.ts'
import { callerOf, startTestControl } from '../../support/control.ts'

const SITES = 40
const control = await startTestControl()
after(() => control.close())
const { keys } = await control.createOrganization('compressed')
const call = callerOf(control, keys.owner)
for (let index = 0; index < SITES; index += 1)
  await call('POST', '/api/Sites', { originName: `compressed-${index}.example.com` })

interface Raw {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** As the bytes come, which `fetch` does not show. */
const ask = (path: string, acceptEncoding?: string): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${keys.owner}`,
      ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
    }
    const sent = request(new URL(path, control.url), { headers }, async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk)
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) })
    })
    sent.on('error', reject).end()
  })

test('a list is compressed for who takes gzip, and the same for who does not', async () => {
  const plain = await ask('/api/sites')
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(plain.headers.vary, 'accept-encoding')
  const packed = await ask('/api/sites', 'gzip, deflate, br, zstd')
  assert.equal(packed.headers['content-encoding'], 'gzip')
  assert.equal(packed.headers.vary, 'accept-encoding')
  assert.equal(Number(packed.headers['content-length']), packed.body.length)
  assert.ok(packed.body.length < plain.body.length / 5, `${packed.body.length} of ${plain.body.length}`)
  assert.deepEqual(JSON.parse(gunzipSync(packed.body).toString()), JSON.parse(plain.body.toString()))
  const refused = await ask('/api/sites', 'gzip;q=0, br')
  assert.equal(refused.headers['content-encoding'], undefined)
})

test('the length of the same answer varies', async () => {
  const lengths = new Set<number>()
  for (let index = 0; index < 12; index += 1) lengths.add((await ask('/api/sites', 'gzip')).body.length)
  assert.ok(lengths.size > 3, [...lengths].join(' '))
})

test('what is versioned, short, an error or answered to a change stays as it is', async () => {
  const [site] = JSON.parse((await ask('/api/sites')).body.toString())
  const long = { instructions: 'a '.repeat(4_000) }
  const changed = await control.call('PATCH', `/api/Sites/${site.id}`, {
    key: keys.owner,
    body: long,
    headers: { 'accept-encoding': 'gzip' },
  })
  assert.deepEqual([changed.status, changed.headers.get('content-encoding')], [200, null])
  for (const path of [`/api/Sites/${site.id}`, '/api/Account', `/api/sites?orderBy=${'x'.repeat(3_000)}`]) {
    const answer = await ask(path, 'gzip')
    assert.equal(answer.headers['content-encoding'], undefined, path)
  }
})

test('gzip is taken where it is named and not refused', () => {
  for (const accepted of ['gzip', 'GZIP', 'br, gzip;q=0.5', '*', 'x-gzip'])
    assert.equal(takesGzip(accepted), true)
  for (const accepted of [undefined, '', 'br', 'gzip;q=0', '*;q=0', 'gzip;q=none', 'gzip ;q=0.000, *'])
    assert.equal(takesGzip(accepted), false, accepted)
})

test('padding is no part of the data', () => {
  const text = 'the same '.repeat(200)
  for (let index = 0; index < 200; index += 1)
    assert.equal(gunzipSync(padded(gzipSync(text))).toString(), text)
})
