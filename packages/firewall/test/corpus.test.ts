/** How much the default rules find, and how often they are wrong, on the regression corpus and on ordinary traffic. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, maintainedRules, ownRules } from '../src/index.ts'
import { benignRequests } from './support/benign.ts'
import { attackFamilyCases, corpusMissing, inspect, requestOf } from './support/corpus.ts'
import { documentParagraphs } from './support/documents.ts'
import { post } from './support/requests.ts'

const ATTACKS_FOUND_MIN = 0.6
const NEAR_MISSES_HIT_MAX = 0.08
const BENIGN_HIT_MAX = 0.01
/** One paragraph in fifty of documentation that is about commands, code and markup itself. */
const DOCUMENTATION_HIT_MAX = 0.02
const DOCUMENTATION_MIN = 1_000
const engine = createEngine([maintainedRules(), ownRules()])

test('default rules on the regression corpus', { skip: corpusMissing ?? false }, async (context) => {
  const counts = { attacks: 0, found: 0, nearMisses: 0, tripped: 0 }
  for (const item of attackFamilyCases()) {
    const hit = (await inspect(engine, requestOf(item))).hits.length > 0
    if (item.expect.length > 0) {
      counts.attacks++
      if (hit) counts.found++
    } else {
      counts.nearMisses++
      if (hit) counts.tripped++
    }
  }
  context.diagnostic(JSON.stringify(counts))
  assert.ok(counts.found / counts.attacks >= ATTACKS_FOUND_MIN, JSON.stringify(counts))
  assert.ok(counts.tripped / counts.nearMisses <= NEAR_MISSES_HIT_MAX, JSON.stringify(counts))
})

test('default rules on ordinary traffic', async (context) => {
  const requests = benignRequests(2_080)
  const hits: string[] = []
  let partial = 0
  for (const request of requests) {
    const result = await inspect(engine, request)
    const [first] = result.hits
    if (first) hits.push(`${request.kind}: ${first.rule} ${first.excerpt}`)
    if (result.inspection === 'partial') partial++
  }
  context.diagnostic(`${hits.length} of ${requests.length} hit`)
  assert.ok(hits.length / requests.length <= BENIGN_HIT_MAX, hits.slice(0, 10).join('\n'))
  assert.equal(partial, 0)
})

test('default rules on the documentation of software', async (context) => {
  const paragraphs = documentParagraphs()
  const hits: string[] = []
  for (const text of paragraphs) {
    const result = await inspect(engine, post('application/json', JSON.stringify({ comment: { text } })))
    const [first] = result.hits
    if (first) hits.push(`${first.rule} ${first.excerpt}`)
  }
  context.diagnostic(`${hits.length} of ${paragraphs.length} hit`)
  assert.ok(paragraphs.length >= DOCUMENTATION_MIN)
  assert.ok(hits.length / paragraphs.length <= DOCUMENTATION_HIT_MAX, hits.slice(0, 20).join('\n'))
})
