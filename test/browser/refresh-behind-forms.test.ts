/** What is typed stays when what is behind it goes: the role, the row, the page, the control plane; and the save says what was answered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Member } from '@sallyport/contract'
import type { Locator } from 'playwright-core'
import { withoutChromium } from './support/chromium.ts'
import { unexpected } from './support/console.ts'
import { AWAY, MEANT, openFaultyConsole } from './support/faulty-console.ts'

const EMAIL = 'mira@example.com'
const PASSWORD = 'a password of many words'
/** The role is asked for every five seconds, a site as often. */
const POLLED_WITHIN_MS = 12_000
/** Answers are asked for again after so long at the earliest. */
const FRESH_MS = 2_100
const CHECKS_FRESH_MS = 10_100
const GONE = {
  status: 404,
  contentType: 'application/problem+json',
  body: JSON.stringify({ status: 404, title: 'Not found', detail: 'It is gone.', code: 'not_found' }),
}

test('forms in the console while what is behind them goes', { skip: withoutChromium }, async (t) => {
  const { it, siteId } = await openFaultyConsole(t)
  const { page, installation } = it
  const dialog = page.getByRole('dialog')
  const closed = () => dialog.waitFor({ state: 'detached' })

  const { body: invited } = await installation.api<Member & { readonly invitation: string }>(
    'POST',
    '/api/Members',
    { email: EMAIL, name: 'Mira', role: 'admin' },
  )
  await it.browser.context.clearCookies()
  await page.evaluate(() => sessionStorage.clear())
  await page.goto(invited.invitation)
  for (const field of await page.locator('input[type="password"]').all()) await field.fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.locator('input[name="again"]').waitFor({ state: 'detached' })
  await page.goto(it.consoleUrl)
  await page.locator('input[name="email"]').fill(EMAIL)
  await page.locator('input[name="password"]').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Areas' }).waitFor()

  const setRole = async (role: 'admin' | 'viewer'): Promise<void> => {
    const { status } = await installation.api('PATCH', `/api/Members/${invited.id}`, { role })
    assert.equal(status, 200)
  }
  /** Waits for the answer to `path` that follows next, and until it is drawn. */
  const polled = async (path: RegExp): Promise<void> => {
    const answer = await page.waitForResponse(path, { timeout: POLLED_WITHIN_MS })
    await answer.finished()
    await page.waitForTimeout(200)
  }
  /** As if the window was left and come back to: whatever is not fresh is asked for again. */
  const refocus = async (freshMs = FRESH_MS): Promise<void> => {
    await page.waitForTimeout(freshMs)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  }
  const project = async (name: string): Promise<string> =>
    (await installation.api<{ readonly id: string }>('POST', '/api/Projects', { name })).body.id
  const addItem = async (projectId: string, name: string): Promise<string> =>
    (
      await installation.api<{ readonly id: string }>('POST', '/api/Projects/createProjectItem', {
        projectId,
        name,
      })
    ).body.id

  t.afterEach(() => setRole('admin'))
  page.setDefaultTimeout(8_000)

  await t.test('a role that is lowered leaves what is typed, and the save says that it may not', async () => {
    const projectId = await project('Lowered')
    await addItem(projectId, 'Sign-in')
    const choices: readonly (readonly [string, string, Locator])[] = [
      ['/researchers', 'Invite', dialog.getByLabel('E-mail address')],
      ['/projects', 'Add a project', dialog.getByLabel('Name').first()],
      [`/projects/${projectId}/items`, 'Edit', dialog.getByLabel('Vendor')],
      [`/projects/${projectId}/items`, 'Edit the check of Sign-in', dialog.getByLabel('Note')],
      [`/sites/${siteId}/firewall`, 'Add an override', dialog.getByLabel('Path')],
    ]
    for (const [path, name, field] of choices) {
      await it.visit(path)
      await page.getByRole('button', { name, exact: true }).first().click()
      await field.fill('mira@example.org')
      await setRole('viewer')
      await polled(/api\/Account\/session/)
      assert.equal(await field.inputValue(), 'mira@example.org', path)
      await dialog.locator('button[type=submit]').click()
      await page.getByText('Your role does not allow this.').first().waitFor()
      assert.equal(await field.inputValue(), 'mira@example.org', path)
      await page.keyboard.press('Escape')
      await dialog.getByRole('button', { name: 'Discard' }).click()
      await closed()
      await setRole('admin')
    }
  })

  await t.test('a row that is removed leaves the dialog that was opened from it', async () => {
    const projectId = await project('Removed item')
    const itemId = await addItem(projectId, 'Sign-out')
    await it.visit(`/projects/${projectId}/items`)
    await page.getByRole('button', { name: 'Edit the check of Sign-out' }).click()
    const note = dialog.getByLabel('Note')
    await note.fill('Found something')
    await installation.api('DELETE', `/api/Projects/items/${itemId}`)
    await refocus(CHECKS_FRESH_MS)
    await page.getByText('No item yet').waitFor()
    assert.equal(await note.inputValue(), 'Found something')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').getByText('There is no such thing in your organization.').waitFor()
    assert.equal(await note.inputValue(), 'Found something')
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await closed()
  })

  await t.test('a page that is removed, or away, leaves what is typed on it', async () => {
    const projectId = await project('Removed')
    const choices = [
      [
        `/projects/${projectId}`,
        () => page.getByRole('button', { name: 'Edit', exact: true }).click(),
        dialog.getByLabel('Vendor'),
        /api\/Projects\/[0-9a-f-]+$/,
      ],
      [
        `/sites/${siteId}/words`,
        async () => undefined,
        page.getByRole('textbox', { name: 'Instructions' }),
        /api\/Sites\/[0-9a-f-]+\?include/,
      ],
    ] as const
    for (const [path, open, field, asked] of choices)
      for (const answer of [AWAY, GONE]) {
        await it.visit(path)
        await open()
        await field.fill('Half a sentence')
        await page.route(asked, (route) =>
          route.request().method() === 'GET' ? route.fulfill(answer) : route.fallback(),
        )
        const refused = page.waitForResponse((response) => asked.test(response.url()) && !response.ok())
        await refocus()
        await (await refused).finished()
        // A fault is tried again twice, a second and two later.
        await page.waitForTimeout(answer === AWAY ? 4_000 : 300)
        assert.equal(await field.inputValue(), 'Half a sentence', `${path}: ${answer.status}`)
        await page.unrouteAll()
      }
  })

  await t.test('Back asks before it takes a dialog away with what is typed in it', async () => {
    await it.visit('/sites')
    await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Projects' }).click()
    await page.getByRole('button', { name: 'Add a project' }).click()
    await dialog.getByLabel('Name').first().fill('Half a name')
    await page.goBack()
    const ask = page.getByRole('dialog', { name: 'Discard what you entered?' })
    await ask.getByRole('button', { name: 'Cancel' }).click()
    await page.waitForURL(/projects$/)
    assert.equal(await dialog.getByLabel('Name').first().inputValue(), 'Half a name')
    await page.goBack()
    await ask.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor()
    await closed()
  })

  await t.test('nothing else went wrong', () => {
    const meant = new RegExp(`${MEANT.source}|status of 40[34]`)
    assert.deepEqual(unexpected(it.browser.faults, meant), [])
  })
})
