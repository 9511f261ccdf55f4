/** Nothing under the gate's own path of a gated host goes to an origin, however it is spelled. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BlockMatcher, TOO_MANY_INTERPRETATIONS } from '@sallyport/policy'
import { blockRule } from '../../../../../test/support/block-rule.ts'
import { startRawOrigin } from '../../support/raw-origin.ts'
import { request, sendRaw, startTestDataPlane } from '../../support/test-data-plane.ts'

test('no reading of a path of ours reaches the origin', async (context) => {
  const origin = await startRawOrigin(context)
  const { port, send } = await startTestDataPlane(context, origin.port)
  for (const target of [
    '/.sallyport',
    '/.sallyport/nothing',
    '/.sallyport/api/me',
    '/.sallyport/index.html',
    '/.sallyport/enter/',
    '/.sallyport/api/../x',
    '/%2esallyport/x',
    '/%252esallyport/x',
    '/x/../.sallyport/x',
    '//.sallyport/x',
    '/\\.sallyport\\x',
    '/.SALLYPORT/x',
    '/.sallyport;a=b/x',
    '/.sallyport#x',
    '/.sallyport/#/../../x',
    '/.sallyport/enter#?code=x',
    '/x#/../.sallyport/x',
  ])
    assert.equal((await sendRaw(port, request(`GET ${target}`), 30)).status, 404, target)
  assert.equal(origin.connections, 0)
  assert.equal((await send('GET /sallyport/x?.sallyport')).status, 200)
})

test('a target with more readings than are worked out goes to the origin, where no rule of the owner says otherwise', async (context) => {
  const origin = await startRawOrigin(context)
  const { send } = await startTestDataPlane(context, origin.port)
  // An address in an address, as libraries of analytics send it.
  const words = 'Συνιστώμενο επίπεδο 造成这些问题有各种原因 погода в Москве'
  const page = encodeURIComponent(`https://shop.example.org/search?q=${encodeURIComponent(words)}`)
  const target = `/matomo.php?url=${page}&action_name=${encodeURIComponent(words)}`
  assert.equal(
    new BlockMatcher([blockRule('own', '/.sallyport')]).match(['GET'], target, 0)?.reading,
    TOO_MANY_INTERPRETATIONS,
  )
  assert.equal((await send(`GET ${target}`)).status, 200)
})
