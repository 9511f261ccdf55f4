/** The sentence of what matters now, and the change of a figure: no word of them that the numbers do not bear. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ATTENTION,
  ATTENTION_KINDS,
  type AttentionItem,
  type AttentionKind,
  OUTCOMES,
  type Situation,
} from '@sallyport/contract'
import fc from 'fast-check'
import { attentionParts } from '../../../../src/pages/overview/words/attention-words.ts'
import { changeOf } from '../../../../src/pages/overview/words/figure-change.ts'
import {
  type ClausePart,
  clausesOf,
  quietWords,
  shareWords,
} from '../../../../src/pages/overview/words/sentence.ts'

const WINDOW = { gte: 'now-1h' }

type Given = Partial<Omit<Situation, 'period' | 'attention' | 'sites'>> & {
  readonly period?: Partial<Omit<Situation['period'], 'outcomes'>> & {
    readonly outcomes?: Partial<Situation['period']['outcomes']>
  }
  readonly items?: AttentionItem[]
  readonly sites?: Situation['sites']['items']
}

function situation({ period, items = [], sites = [], ...given }: Given = {}): Situation {
  const outcomes = {
    origin: 0,
    block: 0,
    limit: 0,
    firewall: 0,
    gate: 0,
    interrupted: 0,
    ...period?.outcomes,
  }
  assert.deepEqual(Object.keys(outcomes).toSorted(), [...OUTCOMES].toSorted())
  return {
    ...{ gte: '', lte: '', window: null, newestRequest: null, interval: '1m', timeZone: 'UTC', buckets: [] },
    ...{ before: null, senders: [], tools: [], rules: [], newest: [], newestSenders: [] },
    attention: { items, counts: [], withheld: [] },
    sites: { total: 1, items: sites, more: 0, others: 0 },
    ...given,
    period: { total: 0, serverErrors: 0, researchers: 0, scanners: 0, ...period, outcomes },
  }
}

const item = (kind: AttentionKind, facts: Partial<AttentionItem> = {}): AttentionItem => ({
  ...{ kind, severity: ATTENTION[kind].severity, since: null, lastSeen: null, ends: null, site: null },
  ...{ researcher: null, gateway: null, apiKey: null, value: '', route: '', status: null },
  ...{ count: null, researchers: null, ...facts },
})

const said = (parts: readonly ClausePart[]): string =>
  parts.map(({ kind, text }) => (kind === 'code' ? `\`${text}\`` : text)).join('')
const sentence = (given: Given): string[] =>
  clausesOf(situation(given), WINDOW).map(({ parts }) => said(parts))

const shop = { id: 'site-1', name: 'shop-api' }
const refusing = {
  ...shop,
  remarks: ['refused' as const],
  requests: 4_000,
  requestsBefore: null,
  refused: 3_105,
  serverErrors: 0,
}
const errors = item('origin_error_after_hit', {
  ...{ site: shop, route: '/products/{id}', value: 'sql_injection', status: 500, count: 160, researchers: 2 },
})

test('the sentence says who sent most, what fails, and what was refused, each with its requests', () => {
  const given = {
    period: { total: 5_000, serverErrors: 160, outcomes: { origin: 1_895, limit: 3_105 } },
    senders: [{ id: 'r-1', name: 'Scanners', requests: 3_100, scanners: 0 }],
    items: [errors],
    sites: [refusing],
  }
  assert.deepEqual(sentence(given), [
    'Scanners sent 62 % of the traffic',
    '`/products/{id}` of shop-api answered 500 to SQL injection, 160 times',
    'shop-api refused 3,105',
  ])
  assert.deepEqual(
    clausesOf(situation(given), WINDOW).map(({ search }) => search),
    [
      { gte: 'now-1h', hacker: ['r-1'] },
      {
        ...{ gte: 'now-1h', site: ['site-1'], route: ['/products/{id}'], firewallClass: ['sql_injection'] },
        ...{ status: ['500'], outcome: ['origin'] },
      },
      { gte: 'now-1h', outcome: ['block', 'limit', 'firewall'], site: ['site-1'] },
    ],
  )
})

test('one is not several, several statuses are 5xx, and strangers are no researcher', () => {
  assert.deepEqual(
    sentence({
      period: { total: 10, outcomes: { block: 1 } },
      senders: [{ id: '', name: '', requests: 3, scanners: 0 }],
      items: [{ ...errors, count: 1, status: null, value: 'path_traversal' }],
    }),
    [
      'strangers sent 30 % of the traffic',
      '`/products/{id}` of shop-api answered 5xx to path traversal, once',
      '1 request was refused',
    ],
  )
  assert.deepEqual(sentence({ period: { total: 10, serverErrors: 2, outcomes: { firewall: 2 } } }), [
    'origins answered 5xx twice',
    '2 requests were refused',
  ])
  assert.deepEqual(
    sentence({ period: { total: 10 }, senders: [{ id: 'gone', name: 'gone', requests: 10, scanners: 0 }] }),
    ['a researcher who was removed sent all of the traffic'],
  )
})

test('scanners are said where they sent a good part, with the requests that count as theirs', () => {
  const given = {
    period: { total: 1_000, scanners: 620 },
    senders: [{ id: 'r-1', name: 'Mira', requests: 400, scanners: 20 }],
  }
  assert.deepEqual(sentence(given), ['Mira sent 40 % of the traffic', 'scanners sent 62 % of the traffic'])
  assert.deepEqual(clausesOf(situation(given), WINDOW)[1]?.search, {
    gte: 'now-1h',
    minScannerPercent: ['80'],
  })
  assert.deepEqual(sentence({ period: { total: 1_000, scanners: 299 } }), [])
  assert.deepEqual(sentence({ period: { total: 9, scanners: 9 } }), [])
  assert.deepEqual(sentence({ period: { total: 10, scanners: 10 } }), ['scanners sent all of the traffic'])
})

/** The sentence of what one sender sent, so many of it with scanners, beside what all scanners sent. */
const ofSender = (requests: number, scanners: number, allScanners: number, name = 'Recon'): string[] =>
  sentence({
    period: { total: 1_000, scanners: allScanners },
    senders: [{ id: name && 'r-1', name, requests, scanners }],
  })

test('one and the same traffic is said once, by whom and that it is scanners', () => {
  assert.deepEqual(ofSender(630, 630, 630), ['Recon sent 63 % of the traffic with scanners'])
  assert.deepEqual(ofSender(1_000, 1_000, 1_000), ['Recon sent all of the traffic with scanners'])
  assert.deepEqual(ofSender(630, 630, 630, ''), ['strangers sent 63 % of the traffic with scanners'])
  assert.deepEqual(ofSender(630, 611, 611), ['Recon sent 63 % of the traffic, mostly with scanners'])
  assert.deepEqual(ofSender(630, 630, 650), ['Recon sent 63 % of the traffic with scanners'])
})

test('traffic of scanners that is only in part that of one sender is said beside it', () => {
  assert.deepEqual(ofSender(400, 400, 620), [
    'Recon sent 40 % of the traffic with scanners',
    'all scanners together sent 62 % of the traffic',
  ])
  assert.deepEqual(ofSender(630, 400, 400), [
    'Recon sent 63 % of the traffic',
    'scanners sent 40 % of the traffic',
  ])
  assert.deepEqual(ofSender(630, 260, 630), [
    'Recon sent 63 % of the traffic',
    'scanners sent 63 % of the traffic',
  ])
})

test('traffic of a sender and of scanners who are others is said of each', () => {
  assert.deepEqual(ofSender(450, 0, 450), [
    'Recon sent 45 % of the traffic',
    'scanners sent 45 % of the traffic',
  ])
  assert.deepEqual(ofSender(290, 290, 310), ['scanners sent 31 % of the traffic'])
  assert.deepEqual(ofSender(310, 290, 290), ['Recon sent 31 % of the traffic, mostly with scanners'])
})

test('what the gate itself answered is not said to be refused, nor a few requests to be a share', () => {
  assert.deepEqual(sentence({ period: { total: 500, outcomes: { gate: 500 } } }), [])
  assert.deepEqual(
    sentence({ period: { total: 9 }, senders: [{ id: 'r', name: 'R', requests: 9, scanners: 0 }] }),
    [],
  )
  assert.deepEqual(
    sentence({ period: { total: 100 }, senders: [{ id: 'r', name: 'R', requests: 29, scanners: 0 }] }),
    [],
  )
})

test('a share is all only where it is all', () => {
  assert.equal(shareWords(1_000, 1_000), 'all')
  assert.equal(shareWords(999, 1_000), 'almost all')
  assert.equal(shareWords(994, 1_000), '99 %')
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.nat(1_000_000), (whole, part) => {
      assert.equal(shareWords(Math.min(part, whole), whole) === 'all', part >= whole)
      assert.notEqual(shareWords(Math.min(part, whole), whole), '100 %')
    }),
  )
})

test('quiet is said plainly, and of what is not known nothing', () => {
  assert.equal(quietWords(situation(), ''), 'No requests in the last 30 days.')
  assert.equal(
    quietWords(situation({ newestRequest: '2026-11-02T09:00:00.000Z' }), '3 hours ago'),
    'No requests in this window; the latest came 3 hours ago.',
  )
  assert.equal(quietWords(situation({ period: { total: 1 } }), ''), '1 request, and nothing stands out.')
})

test('a change has words, and none where there is no earlier data', () => {
  assert.deepEqual(changeOf(5, null), { sign: '', text: 'no earlier data', words: 'no earlier data' })
  assert.deepEqual(changeOf(0, 0).text, 'no change')
  assert.deepEqual(changeOf(7, 0), { sign: '▲', text: 'from 0', words: 'none in the previous period' })
  assert.deepEqual(changeOf(124, 100), {
    ...{ sign: '▲', text: '24 %', words: '24 % more than in the previous period' },
  })
  assert.deepEqual(changeOf(0, 3), {
    ...{ sign: '▼', text: '100 %', words: '100 % fewer than in the previous period' },
  })
  assert.deepEqual(changeOf(45, 2), {
    ...{ sign: '▲', text: '×22', words: '22 times as many as in the previous period' },
  })
  assert.equal(changeOf(1_000_001, 1_000_000).text, '< 0.1 %')
})

test('each kind of attention is said in words, whatever of it is known', () => {
  for (const kind of ATTENTION_KINDS) {
    const words = said(attentionParts(item(kind, { count: 1, gateway: 'gateway-1', value: 'value' })))
    assert.doesNotMatch(words, /undefined|null|NaN|\b0\b/, kind)
  }
  assert.equal(
    said(attentionParts({ ...errors, researcher: { id: 'r', name: 'Mira' } })),
    '`/products/{id}` of shop-api answered 500 to SQL injection 160 times, by Mira',
  )
  assert.equal(
    said(attentionParts(item('limit_exhausted', { site: shop, value: 'fixed', count: 1, researchers: 3 }))),
    'The limit fixed of shop-api refused 1 request, by 3 researchers',
  )
})
