/** The feed of configuration through a reverse proxy as it comes from Debian, with nothing set for it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestControl } from '../../packages/control/test/support/control.ts'
import { followFeed } from '../../packages/control/test/support/feed.ts'
import { startNginxProxy, without } from './support/programs.ts'

test('a change passes through nginx at once', { skip: without('nginx') }, async (context) => {
  const control = await startTestControl()
  context.after(() => control.close())
  const { keys } = await control.createOrganization('behind-nginx')
  const proxy = await startNginxProxy(context, Number(new URL(control.url).port))
  const feed = await followFeed(`http://127.0.0.1:${proxy.port}`)
  context.after(() => feed.close())
  const body = { originName: 'example.com', isActive: true }
  const site = await control.call('POST', '/api/Sites', { key: keys.owner, body })
  assert.equal(site.status, 201, site.text)
  await feed.until((items) => items.has(`site/${site.json.id}`))
})
