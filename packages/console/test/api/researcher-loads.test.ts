import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import type { Api } from '../../src/api/api.tsx'
import {
  loadResearchers,
  nameOfResearcher,
  notingNames,
  researcherKey,
} from '../../src/api/researcher-loads.ts'

/** Answers whom it knows, and remembers how it was asked. */
function openApi(known: readonly string[]) {
  const calls: string[][] = []
  const call = async (_id: string, { query }: { query: { id: string[] } }) => {
    calls.push(query.id)
    return { items: query.id.filter((id) => known.includes(id)).map((id) => ({ id, name: id })), next: null }
  }
  // Of the whole API, this is what the loads call.
  return { api: { call } as unknown as Api, calls }
}

test('what several parts of a page need at once is one call, and never asked again', async () => {
  const { api, calls } = openApi(['ada', 'bo', 'cy'])
  const queryClient = new QueryClient()
  const news = await Promise.all([
    loadResearchers(api, queryClient, ['ada', 'gone']),
    loadResearchers(api, queryClient, ['ada', 'bo']),
  ])
  assert.deepEqual([calls, news], [[['ada', 'gone', 'bo']], [true, true]])
  assert.deepEqual(queryClient.getQueryData(researcherKey('bo')), { id: 'bo', name: 'bo' })
  assert.equal(
    await loadResearchers(api, queryClient, ['gone', 'ada']),
    false,
    'or a page would draw itself for ever',
  )
  assert.equal(await loadResearchers(api, queryClient, ['gone', 'cy']), true)
  assert.deepEqual(calls[1], ['cy'])
})

test('more than a hundred are several calls', async () => {
  const { api, calls } = openApi([])
  const ids = Array.from({ length: 250 }, (_, index) => `r${index}`)
  await loadResearchers(api, new QueryClient(), ids)
  assert.deepEqual(
    calls.map((one) => one.length),
    [100, 100, 50],
  )
})

test('names that an answer has are known from it, and need no call, nor does who is not there any more', async () => {
  const { api, calls } = openApi(['ada', 'cy'])
  const queryClient = new QueryClient()
  const answer = {
    rows: [],
    researcherNames: [
      { id: 'ada', name: 'Ada' },
      { id: 'gone', name: null },
    ],
  }
  assert.equal(notingNames(queryClient, answer), answer)
  for (const other of [null, [], 'text', undefined, { researcherNames: undefined }])
    notingNames(queryClient, other)
  assert.equal(nameOfResearcher(queryClient, 'ada'), 'Ada')
  assert.equal(nameOfResearcher(queryClient, 'gone'), undefined)
  assert.equal(await loadResearchers(api, queryClient, ['ada', 'gone']), false)
  await loadResearchers(api, queryClient, ['cy'])
  assert.deepEqual([calls, nameOfResearcher(queryClient, 'cy')], [[['cy']], 'cy'])
  notingNames(queryClient, { researcherNames: [{ id: 'ada', name: 'Ada, renamed' }] })
  assert.equal(nameOfResearcher(queryClient, 'ada'), 'Ada, renamed')
  assert.equal(nameOfResearcher(new QueryClient(), 'ada'), undefined, 'of one session only')
})
