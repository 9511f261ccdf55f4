/** Where answers lead out of the gate, as the owner of the site sees it, with ten thousand hosts to see. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { eventually } from '../support/installation.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { createSite } from '../support/site.ts'
import { withoutChromium } from './support/chromium.ts'
import { openConsole, unexpected } from './support/console.ts'

test('a site says which hosts its answers lead to, and how they get behind the gate', {
  skip: withoutChromium,
}, async (context) => {
  const it = await openConsole()
  context.after(() => it.close())
  const { installation, page, origin } = it
  const redirecting = await listenOnLoopback(
    createServer(({ url = '' }, response) => {
      const to = new URLSearchParams(url.split('?')[1]).get('to') ?? ''
      response.writeHead(302, { location: `https://${to}/token?code=secret` }).end()
    }),
  )
  context.after(() => redirecting.close())
  const site = await createSite(installation, 'shop.gate.localhost', redirecting.url)
  const api = await createSite(installation, 'back.gate.localhost', origin.url.replace('http:', 'https:'))
  const { body: researcher } = await installation.api<{ key: string }>('POST', '/api/Hackers', {
    email: 'mira@example.com',
    name: 'Mira',
  })
  const ask = (to: string) => installation.gate(site.gatedName, `/?to=${to}`, { key: researcher.key })
  await eventually(async () => (await ask('api.example.com')).status === 302)
  for (let count = 0; count < 2; count++) await ask('api.example.com')
  await ask(api.originName.replace('https://', ''))
  for (let count = 0; count < 60; count++) await ask(`"<b>${count}</b>.example`).catch(() => {})
  for (let count = 0; count < 60; count++) await ask(`host-${count}.example`)

  await it.visitUntil(`/sites/${site.id}/traffic`, page.getByText('And at least 40 further hosts.'))
  const panel = page.getByRole('listitem').filter({ hasText: 'api.example.com' })
  await panel.getByText(/^\d+ answers lead to api\.example\.com, which is not behind the gate\./).waitFor()
  await page
    .getByRole('listitem')
    .filter({ hasText: 'which is behind the gate as back.gate.localhost and named by its own name here' })
    .waitFor()
  await panel.getByRole('link', { name: /answers lead$/ }).click()
  await page
    .getByRole('button', { name: 'Remove the filter: Leads outside the gate to is api.example.com' })
    .waitFor()
  await page.goBack()
  await panel.getByRole('link', { name: 'Put it there' }).click()
  await page.waitForURL(/\/console\/setup\?origin=api\.example\.com$/)
  assert.equal(await page.getByLabel('Origin').inputValue(), 'api.example.com')
  assert.deepEqual(unexpected(it.browser.faults), [])
})
