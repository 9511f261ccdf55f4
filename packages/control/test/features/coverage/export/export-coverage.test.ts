/** Coverage as files for spreadsheets and pipelines. */
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import {
  ATTACK_CLASS_NAMES,
  type CoverageFormat,
  type CoverageMap,
  VERDICT_WORDS,
  type VerdictWord,
} from '@sallyport/contract'
import { coverageMap } from '../../../../src/features/coverage/coverage-map.ts'
import { exportCoverage } from '../../../../src/features/coverage/export/export-coverage.ts'
import { boundsOf } from '../../../../src/features/coverage/service.ts'
import type { RecordedCoverage } from '../../../../src/traffic-store/rows/recorded-coverage.ts'

const row = (
  attackClass: string,
  counts: Readonly<Partial<Record<VerdictWord, number>>>,
): RecordedCoverage => ({
  ...{ level: 'class', route: '/orders', method: 'GET', class: attackClass, uninspected: 0 },
  verdicts: VERDICT_WORDS.map((word) => counts[word] ?? 0),
  ...{ researchers: ['ann'], researcher_count: 1 },
  ...{ first_ms: 1_800_000_000_000, last_ms: 1_800_000_001_000 },
})
const HOSTILE = '=cmd|"<&>\u0001\ud800\n'

function mapOf(): CoverageMap {
  const operation = (template: string) => ({
    method: 'GET',
    template,
    source: 'given' as const,
    parameters: [],
  })
  const counts = coverageMap(
    [operation('/orders'), operation(`/${HOSTILE}`), operation('/untouched')],
    {
      rows: [
        row('xss', { server_error: 1, firewall: 2 }),
        row('lfi', { firewall: 3 }),
        row('ssrf', { reached: 4 }),
        row(HOSTILE, { reached: 1 }),
      ],
      others: { requests: 0, attempts: 0 },
      isPartial: false,
    },
    { rows: [], isPartial: false },
  )
  const bounds = boundsOf(counts.summary, { maxUntested: 0, maxServerErrors: 1 })
  return { gte: '2027-01-01T00:00:00.000Z', lte: '2027-02-01T00:00:00.000Z', ...counts, bounds }
}

const written = (format: CoverageFormat): Promise<string> => text(exportCoverage(mapOf(), format).stream)
const CLASSES = ATTACK_CLASS_NAMES.length + 1

test('CSV has a row for every operation and class, and no formula', async () => {
  const csv = await written('csv')
  const lines = csv.split('\r\n')
  assert.equal(lines.length, 3 * CLASSES + 2)
  assert.match(csv, /^method,template,.*server_error,reached,/)
  assert.ok(lines.some((line) => line.startsWith('GET,/orders,given,,,xss,server_error,3,1,')))
  assert.ok(lines.some((line) => line.startsWith('GET,/orders,given,,,lfi,firewall,3,1,')))
  assert.ok(lines.some((line) => line.startsWith('GET,/untouched,given,,,xss,untested,0,0,')))
  assert.ok(lines.every((line) => !/(^|,|")=/.test(line)))
})

test('of many operations a table leaves open who tried by parameter', async () => {
  const lineOf = async (operations: number): Promise<string[]> => {
    const defined = Array.from({ length: operations }, (_, index) => ({
      ...{ method: 'GET', template: `/orders${index || ''}`, source: 'given' as const },
      parameters: [{ place: 'query' as const, name: 'q' }],
    }))
    const attempt = { ...row('xss', { reached: 2 }), part: 'query', parameter: 'q' }
    const counts = coverageMap(
      defined,
      {
        rows: [{ ...row('xss', { reached: 2 }), researcher_count: 7 }],
        others: { requests: 0, attempts: 0 },
        isPartial: false,
      },
      { rows: [attempt], isPartial: false },
    )
    const window = { gte: '', lte: '', bounds: { passed: true, exceeded: [] } }
    const csv = await text(exportCoverage({ ...window, ...counts }, 'csv').stream)
    return csv.split('\r\n').filter((line) => /^GET,\/orders,given,(?:,|query,q),xss,/.test(line))
  }
  const cells = (lines: readonly string[]) => lines.map((line) => line.split(',').slice(3, 9).join())
  assert.deepEqual(cells(await lineOf(45)), [',,xss,reached,2,7', 'query,q,xss,reached,2,1'])
  assert.deepEqual(cells(await lineOf(46)), [',,xss,reached,2,7', 'query,q,xss,reached,2,'])
})

test('JUnit skips what was never tried or only refused by the gate, and fails what exceeds a bound', async () => {
  const xml = await written('junit')
  const [, tests, failures, skipped] = /tests="(\d+)" failures="(\d+)" skipped="(\d+)"/.exec(xml) ?? []
  assert.equal(Number(tests), 3 * CLASSES + 1)
  assert.equal(xml.match(/<testcase /g)?.length, Number(tests))
  assert.equal(Number(failures), 1)
  assert.equal(xml.match(/<failure /g)?.length, 1)
  assert.match(xml, /name="maxUntested"><failure message="2 are more than 0"\/>/)
  assert.equal(xml.match(/<skipped /g)?.length, Number(skipped))
  assert.equal(Number(skipped), 3 * CLASSES - 3)
  assert.match(
    xml,
    /<skipped message="clean because refused by the gate: 3 attempts; the furthest: the firewall refused it"\/>/,
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot hold
  assert.doesNotMatch(xml, /[\u0000-\u0008\ud800]|&(?!amp;|lt;|gt;|quot;|#\d+;)/)
  assert.equal(xml.match(/</g)?.length, xml.match(/>/g)?.length)
})

test('SARIF has a rule for each class and a result for each operation and class, of the right kinds', async () => {
  const sarif = JSON.parse(await written('sarif'))
  const [run] = sarif.runs
  assert.equal(sarif.version, '2.1.0')
  assert.equal(run.tool.driver.rules.length, CLASSES)
  assert.equal(run.results.length, 3 * CLASSES)
  const of = (name: string, ruleId: string) =>
    run.results.find(
      (one: { ruleId: string; locations: { logicalLocations: { fullyQualifiedName: string }[] }[] }) =>
        one.ruleId === ruleId && one.locations[0]?.logicalLocations[0]?.fullyQualifiedName === name,
    )
  assert.deepEqual([of('GET /orders', 'xss').kind, of('GET /orders', 'xss').level], ['fail', 'warning'])
  assert.deepEqual([of('GET /orders', 'lfi').kind, of('GET /orders', 'lfi').level], ['open', 'none'])
  assert.equal(of('GET /orders', 'ssrf').kind, 'informational')
  assert.equal(of('GET /untouched', 'ssrf').message.text, 'Never tried.')
  assert.equal(run.invocations[0].toolExecutionNotifications.length, 1)
  for (const { ruleId, ruleIndex } of run.results) assert.equal(run.tool.driver.rules[ruleIndex].id, ruleId)
  // Every name that a rule relates to is in its list.
  const taxa = new Set(
    run.taxonomies.flatMap((list: { name: string; taxa: { id: string }[] }) =>
      list.taxa.map(({ id }) => `${list.name} ${id}`),
    ),
  )
  for (const { relationships } of run.tool.driver.rules)
    for (const { target } of relationships) assert.ok(taxa.has(`${target.toolComponent.name} ${target.id}`))
})
