/** The regression corpus of attack families, sent through the running data plane on real sockets. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { importCrs, type RuleSet } from '@sallyport/firewall'
import {
  attackFamilyCases,
  type CorpusCase,
  corpusMissing,
} from '../../../../firewall/test/support/corpus.ts'
import { HOST, KEY, startTestDataPlane } from '../../support/test-data-plane.ts'
import { untilRuleInForce } from './support.ts'

const ATTACKS_FOUND_MIN = 0.6
const NEAR_MISSES_HIT_MAX = 0.08
const IMPORTED_FOUND_MIN = 0.95
const CRS_DIRECTORY = '/usr/share/modsecurity-crs'
const CONNECTIONS = 8
/** CRS's rules about the protocol, which many requests of the corpus trip by how they are made. */
const NOT_ATTACKS = /^owasp-crs-9[12]/

/** Headers that are about the connection, which is ours. */
const OWN =
  /^(?:host|connection|proxy-connection|keep-alive|content-length|transfer-encoding|expect|upgrade|te)$/i

function bytesOf(item: CorpusCase): Buffer {
  const raw = item.encodedRequest === undefined ? undefined : Buffer.from(item.encodedRequest, 'base64')
  const split = raw?.indexOf('\r\n\r\n') ?? -1
  const body = raw ? raw.subarray(split + 4) : Buffer.from(item.data ?? '')
  const [line, ...lines] = raw
    ? raw.toString('latin1', 0, split).split('\r\n')
    : [`${item.method} ${item.uri} HTTP/1.1`, ...Object.entries(item.headers).map((pair) => pair.join(': '))]
  const own = [`Host: ${HOST}`, `Sallyport-Key: ${KEY}`, 'Connection: close']
  if (body.length > 0) own.push(`Content-Length: ${body.length}`)
  const kept = lines.filter((text) => !OWN.test(text.slice(0, text.indexOf(':')).trim()))
  return Buffer.concat([Buffer.from([line, ...own, ...kept, '', ''].join('\r\n')), body])
}

const exchange = (port: number, bytes: Buffer): Promise<void> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', () => {})
    socket.on('error', () => {})
    socket.on('close', () => done())
    socket.setTimeout(5_000, () => socket.destroy())
  })

/** Sends what `chosen` picks of the corpus through a data plane with these rule sets, and says what its records hold. */
async function sendCorpus(context: TestContext, ruleSet: RuleSet | undefined) {
  const origin = createServer((incoming, response) => {
    incoming.resume()
    response.end('ok')
  })
  await new Promise<void>((ready) => origin.listen(0, '127.0.0.1', ready))
  context.after(() => origin.close())
  context.after(() => origin.closeAllConnections())
  const { port, recorder, snapshots, dataPlane } = await startTestDataPlane(
    context,
    (origin.address() as AddressInfo).port,
    {
      site: { firewall: { mode: 'observe', overrides: [], exclusions: [] } },
    },
  )
  if (ruleSet) {
    const value = { id: 'crs', name: 'crs', rules: JSON.stringify(ruleSet) }
    snapshots.apply({ type: 'put', kind: 'ruleSet', id: 'crs', value })
    await untilRuleInForce(dataPlane.engines, ruleSet.rules[0]?.id ?? '')
  }
  return async (chosen: readonly CorpusCase[]) => {
    const before = recorder.events.length
    const worker = async (start: number): Promise<void> => {
      for (let index = start; index < chosen.length; index += CONNECTIONS) {
        const item = chosen[index]
        if (item) await exchange(port, bytesOf(item))
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, start) => worker(start)))
    const events = (await recorder.waitFor(before + chosen.length)).slice(before)
    assert.equal(events.length, chosen.length, 'every request is recorded')
    const malformed = events.filter((event) => event.outcome === 'gate').length
    return {
      sent: chosen.length,
      hit: events.filter((event) => event.hits.some(({ rule }) => !NOT_ATTACKS.test(rule))).length,
      malformed,
    }
  }
}

test('default rules, through the gateway', { skip: corpusMissing }, async (context) => {
  const send = await sendCorpus(context, undefined)
  const cases = attackFamilyCases()
  const attacks = await send(cases.filter((item) => item.expect.length > 0))
  const nearMisses = await send(cases.filter((item) => item.expect.length === 0))
  context.diagnostic(JSON.stringify({ attacks, nearMisses }))
  assert.ok(attacks.hit / attacks.sent >= ATTACKS_FOUND_MIN, JSON.stringify(attacks))
  assert.ok(nearMisses.hit / nearMisses.sent <= NEAR_MISSES_HIT_MAX, JSON.stringify(nearMisses))
})

for (const paranoia of [1, 4] as const)
  test(`with Debian's CRS at paranoia level ${paranoia}, through the gateway`, {
    skip: corpusMissing || (existsSync(CRS_DIRECTORY) ? false : `no rule set in ${CRS_DIRECTORY}`),
  }, async (context) => {
    const { ruleSet } = importCrs(CRS_DIRECTORY, { paranoia })
    const taken = new Set(ruleSet.rules.map(({ id }) => id))
    const send = await sendCorpus(context, ruleSet)
    const attacks = await send(
      attackFamilyCases().filter(
        ({ expect }) => expect.length > 0 && expect.every((id) => taken.has(`owasp-crs-${id}`)),
      ),
    )
    context.diagnostic(JSON.stringify(attacks))
    assert.ok(attacks.hit / attacks.sent >= IMPORTED_FOUND_MIN, JSON.stringify(attacks))
  })
