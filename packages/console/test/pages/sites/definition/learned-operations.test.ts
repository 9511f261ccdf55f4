import assert from 'node:assert/strict'
import { test } from 'node:test'
import { learnedOperations } from '../../../../src/pages/sites/definition/learned-operations.ts'

const evidence = {
  requests: 12,
  covered: 2,
  researchers: 3,
  lastSeen: '2026-11-01T00:00:00.000Z',
}

test('learned operations are read with their evidence, candidates last', () => {
  const document = {
    paths: {
      '/a': { get: { 'x-sallyport-state': 'candidate' }, parameters: [] },
      '/b': { post: { 'x-sallyport-state': 'learned', 'x-sallyport-evidence': evidence } },
    },
  }
  assert.deepEqual(learnedOperations(document), [
    { method: 'POST', path: '/b', isCandidate: false, ...evidence },
    {
      method: 'GET',
      path: '/a',
      isCandidate: true,
      requests: 0,
      covered: 0,
      researchers: 0,
      lastSeen: null,
    },
  ])
})

test('an uploaded document has none, whatever it looks like', () => {
  for (const document of [
    undefined,
    null,
    [],
    'x',
    {},
    { paths: [] },
    { paths: { '/a': null, '/b': { get: 7 } } },
  ])
    assert.deepEqual(learnedOperations(document), [])
})
