/** What is known of the health of origins, and when it is known no more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressPolicy } from '@sallyport/policy'
import { DEFAULT_GATEWAY_LIMITS } from '../../../src/settings.ts'
import { OriginError } from '../../../src/upstream/pool/origin-error.ts'
import { OriginPools } from '../../../src/upstream/pool/origin-pools.ts'
import { site, TestSnapshots } from '../../support/test-data-plane.ts'

function setUp() {
  const snapshots = new TestSnapshots()
  snapshots.begin(site(8001))
  const origins = new OriginPools(DEFAULT_GATEWAY_LIMITS, createAddressPolicy([]), [])
  const present = () => {
    const found = snapshots.current.site('site-1')
    assert.ok(found)
    const pool = origins.of(found)
    const lane = origins.laneOf(found, 'researcher-1')
    return {
      fail: () => origins.noteFailure('site-1', lane, pool, new OriginError('origin_unreachable', 'no')),
    }
  }
  const told = () => origins.drainHealthChanges(snapshots.current).map(({ siteId, state }) => [siteId, state])
  return { snapshots, present, told }
}

test('the health of an origin is unknown once the site has another one', () => {
  const { snapshots, present, told } = setUp()
  const before = present()
  before.fail()
  assert.deepEqual(told(), [['site-1', 'failing']])
  snapshots.putSite(site(8001, { enabled: false }))
  assert.deepEqual(told(), [], 'a change of anything else says nothing of the origin')

  snapshots.putSite(site(8002))
  assert.deepEqual(told(), [['site-1', 'unknown']])
  assert.deepEqual(told(), [])
  before.fail()
  assert.deepEqual(told(), [['site-1', 'unknown']], 'a request to the origin before ends late')
  present().fail()
  assert.deepEqual(told(), [['site-1', 'failing']])
})

test('the health of an origin is unknown once it is asked in another protocol', () => {
  const { snapshots, present, told } = setUp()
  present().fail()
  told()
  snapshots.putSite(site(8001, { originProtocol: 'http2' }))
  assert.deepEqual(told(), [['site-1', 'unknown']])
})
