/** What a gateway loads: each megabyte of code is a megabyte of every gateway's memory. */
import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'

test('a gateway loads neither schemas nor clients that it does not use', async () => {
  const loaded: string[] = []
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      loaded.push(url)
      return nextLoad(url, context)
    },
  })
  await import('../../src/index.ts')
  hooks.deregister()
  assert.ok(loaded.some((url) => url.endsWith('/data-plane.ts')))
  for (const name of ['zod', 'iovalkey', 'undici'])
    assert.deepEqual(
      loaded.filter((url) => url.includes(`/node_modules/${name}/`)),
      [],
      name,
    )
})
