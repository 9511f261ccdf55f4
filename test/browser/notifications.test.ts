/** Members say in the console where they are told of what happens, and see what was told. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { eventually } from '../support/installation.ts'
import { type LoopbackServer, listenOnLoopback } from '../support/loopback.ts'
import { withoutChromium } from './support/chromium.ts'
import { type ConsoleUnderTest, openConsole, unexpected } from './support/console.ts'

test('a webhook is added, tested, fails, is sent again, and is removed', {
  skip: withoutChromium,
}, async (t) => {
  let it: ConsoleUnderTest
  let receiver: LoopbackServer
  let status = 204
  const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
  before(async () => {
    const server = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await text(request) })
      response.writeHead(status).end('words of the receiver')
    })
    receiver = await listenOnLoopback(server)
    it = await openConsole(
      {},
      { SALLYPORT_WEBHOOK_PRIVATE_ADDRESSES: '127.0.0.0/8', SALLYPORT_WEBHOOK_PLAIN_HOSTS: '127.0.0.1' },
    )
  })
  after(async () => {
    await it.close()
    await receiver.close()
  })
  const act = async (item: string): Promise<void> => {
    await it.page.getByRole('button', { name: 'Change on call' }).click()
    await it.page.getByRole('menuitem', { name: item }).click()
  }
  const deliveries = () => it.page.getByRole('table', { name: 'Deliveries' })
  const refreshUntil = (words: string) =>
    eventually(async () => {
      await it.page.getByRole('button', { name: 'Refresh' }).click()
      return (await deliveries().getByText(words).count()) > 0
    })

  await t.test('it is added, and its secret shown once', async () => {
    const { page } = it
    await it.visit('/organization/notifications')
    await page.getByText('No destinations yet').waitFor()
    await page.getByRole('button', { name: 'Add a destination' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('on call')
    await dialog.getByLabel('URL').fill('https://10.0.0.1/')
    await dialog.getByLabel('Site: opened').uncheck()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('names an address that may not be reached from here').waitFor()
    await dialog.getByLabel('URL').fill(receiver.url)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.locator('code', { hasText: /^whsec_/ }).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: 'on call' }).first().waitFor()
    assert.ok(!(await page.content()).includes('whsec_'))
  })

  await t.test('a test arrives, and what fails says how', async () => {
    await act('Send a test')
    await it.page.getByText('A test is on its way.').waitFor()
    await refreshUntil('Delivered')
    assert.equal(JSON.parse(received[0]?.body ?? '').type, 'notification.test')
    status = 500
    await act('Send a test')
    await refreshUntil('another status than 2xx (500)')
    assert.ok(!(await it.page.content()).includes('words of the receiver'))
    status = 204
    await deliveries().getByRole('button', { name: 'Send again' }).first().click()
    await eventually(() => new Set(received.slice(1).map(({ headers }) => headers['webhook-id'])).size === 1)
    await eventually(async () => {
      await it.page.getByRole('button', { name: 'Refresh' }).click()
      return (await deliveries().getByText('Delivered').count()) === 2
    })
  })

  await t.test('it is disabled and removed', async () => {
    await act('Disable')
    await it.page.getByRole('cell', { name: 'Disabled' }).waitFor()
    await act('Remove')
    await it.page.getByRole('dialog').getByRole('button', { name: 'Remove destination' }).click()
    await it.page.getByText('No destinations yet').waitFor()
    assert.deepEqual(unexpected(it.browser.faults, /400/), [])
  })
})
