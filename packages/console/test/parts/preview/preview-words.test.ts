import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangePreview } from '@sallyport/contract'
import { previewSentence, researcherWords } from '../../../src/parts/preview/preview-words.ts'

const time = { full: (instant: string) => instant.slice(0, 10) }
const preview = (given: Partial<ChangePreview> = {}): ChangePreview => ({
  gte: '2026-11-16T00:00:00.000Z',
  lte: '2026-11-23T00:00:00.000Z',
  judged: { gte: '2026-11-20T00:00:00.000Z', lte: '2026-11-23T00:00:00.000Z' },
  isWhole: true,
  requests: 20_480,
  refused: 3_105,
  precision: 'exact',
  gaps: [],
  benign: 14,
  researchers: 2,
  topResearchers: [],
  samples: [],
  takesEffect: null,
  ...given,
})
const say = (given: Partial<ChangePreview>) => previewSentence(preview(given), time)

test('a preview is said in one sentence, and says no more than is known', () => {
  assert.equal(say({}), 'The last 7 days: 3,105 requests of 2 researchers would be refused, 14 look benign.')
  assert.equal(
    say({ precision: 'atLeast', refused: 1, researchers: 1, benign: 1 }),
    'The last 7 days: at least 1 request of 1 researcher would be refused, at least 1 looks benign.',
  )
  assert.equal(say({ refused: 0 }), 'The last 7 days: none of 20,480 requests would be refused.')
  assert.equal(
    say({ refused: 0, precision: 'atLeast', gaps: ['headers'] }),
    'The last 7 days: of 20,480 requests none is known that would be refused.',
  )
  assert.equal(say({ requests: 0, refused: 0 }), 'The last 7 days: no request was let through.')
  assert.match(say({ isWhole: false }), /^Since 2026-11-20, as far as could be judged in time: 3,105/)
  assert.match(say({ takesEffect: '2026-12-01T00:00:00.000Z' }), /would be refused, from 2026-12-01 on, 14/)
})

test('researchers are named by their addresses, which cannot reorder the sentence', () => {
  const words = researcherWords(
    preview({
      researchers: 12,
      topResearchers: [
        { id: 'one', email: '\u202egnp.exe', refused: 3_000 },
        { id: 'two', email: null, refused: 105 },
      ],
    }),
  )
  assert.equal(words, '\ufffdgnp.exe 3,000, two 105, 10 more')
})
