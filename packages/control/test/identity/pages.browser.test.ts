import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { invitationUrl } from '../../src/identity/provider/routes.ts'
import { makeInvitation } from '../../src/identity/sign-in/accounts.ts'
import { addOrganization, operatorContext } from '../support/database.ts'
import { authorization, exchangeCode } from './support/browser.ts'
import { addMember, startExampleShop } from './support/control.ts'

const executablePath = process.env.SALLYPORT_CHROMIUM ?? '/usr/bin/chromium'
const skip = existsSync(executablePath) ? false : `no Chromium at ${executablePath}`
/** Where pictures of the pages are put, to be looked at; none are taken where it is not set. */
const pictures = process.env.SALLYPORT_TEST_PICTURES

const { control, orgId, ada } = await startExampleShop()
let browser: Browser

before(async () => {
  if (!skip) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})
after(() => browser?.close())

/** A browser window that fails the test where a page breaks its own policy or asks anybody else for anything. */
async function openWindow(work: (page: Page) => Promise<void>, colorScheme: 'light' | 'dark' = 'light') {
  const context: BrowserContext = await browser.newContext({
    colorScheme,
    viewport: { width: 900, height: 700 },
  })
  const complaints: string[] = []
  const page = await context.newPage()
  page.on('console', (message) => {
    // The status of a refused sign-in shows on the console too; what matters are broken policies and scripts.
    if (message.type() === 'error' && !message.text().includes('status of 4')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    if (origin !== control.publicUrl || pathname.endsWith('.ico'))
      complaints.push(`asked for ${request.url()}`)
  })
  try {
    await work(page)
  } finally {
    await context.close()
  }
  assert.deepEqual(complaints, [])
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` })
}

/** What everybody needs: a language, one heading, a name for each field, and a focus that shows. */
async function assertAccessible(page: Page): Promise<void> {
  assert.equal(await page.locator('html').getAttribute('lang'), 'en')
  assert.equal(await page.locator('h1').count(), 1)
  assert.equal(await page.locator('main').count(), 1)
  for (const field of await page.locator('input:not([type=hidden])').all()) {
    const labelled = await field.evaluate((input: HTMLInputElement) => (input.labels?.length ?? 0) > 0)
    assert.ok(labelled, 'every field has a label')
  }
  const contrasts = await page.locator('h1, p, label, small, button, a.button').evaluateAll((elements) => {
    const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (color: string) => {
      const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
        const share = value / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const ground = (element: Element | null): string => {
      if (!element) return 'rgb(255, 255, 255)'
      const color = getComputedStyle(element).backgroundColor
      return channels(color)[3] === 0 ? ground(element.parentElement) : color
    }
    return elements.map((element) => {
      const pair = [luminance(getComputedStyle(element).color), luminance(ground(element))].sort(
        (a, b) => b - a,
      )
      return { text: element.textContent, ratio: ((pair[0] ?? 0) + 0.05) / ((pair[1] ?? 0) + 0.05) }
    })
  })
  for (const { text, ratio } of contrasts) assert.ok(ratio >= 4.5, `${text?.trim()}: contrast ${ratio}`)
}

for (const colorScheme of ['light', 'dark'] as const)
  test(`a member signs in with a browser, ${colorScheme}`, { skip }, () =>
    openWindow(async (page) => {
      const begun = authorization(control.publicUrl)
      await page.goto(begun.url)
      await assertAccessible(page)
      await picture(page, `sign-in-${colorScheme}`)
      await page.getByLabel('E-mail address').fill(ada.email)
      await page.getByLabel('Password').fill('wrong')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'password')
      await assertAccessible(page)
      await picture(page, `sign-in-wrong-${colorScheme}`)
      await page.getByLabel('Password').fill(ada.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL('**/console/callback?**')
      const { id_token } = await exchangeCode(control.publicUrl, begun, page.url())

      const end = new URLSearchParams({
        id_token_hint: id_token,
        post_logout_redirect_uri: `${control.publicUrl}/console/`,
      })
      await page.goto(`${control.publicUrl}/identity/session/end?${end}`)
      await assertAccessible(page)
      await picture(page, `sign-out-${colorScheme}`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(`${control.publicUrl}/console/`)
    }, colorScheme),
  )

test('a password is set, an organization chosen and an account changed with a browser', { skip }, () =>
  openWindow(async (page) => {
    const other = await addOrganization(control.database, 'Second Shop')
    await addMember(control.database, other, 'grace@example.com', { password: 'the same password twice' })
    const invited = await addMember(control.database, orgId, 'grace@example.com')
    const { token, hash } = makeInvitation()
    await control.database.change(operatorContext(orgId), async (tx) => {
      await tx.query(
        `UPDATE members SET password_hash = NULL, invitation_hash = $2, invitation_expires_at = now() + interval '1 h'
         WHERE org_id = $1 AND id = $3`,
        [orgId, hash, invited.id],
      )
      const target = { kind: 'member', id: invited.id }
      tx.record({ action: 'member.renewInvitation', target, before: null, after: null })
    })
    await page.goto(invitationUrl(control.publicUrl, token))
    await assertAccessible(page)
    await picture(page, 'set-password')
    await page.getByLabel('New password', { exact: true }).fill('the same password twice')
    await page.getByLabel('New password again').fill('the same password twice')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Your password is set').waitFor()
    await assertAccessible(page)
    await picture(page, 'password-set')
    await page.goto(invitationUrl(control.publicUrl, token))
    await assertAccessible(page)
    await picture(page, 'link-not-valid')

    await page.goto(authorization(control.publicUrl).url)
    await page.getByLabel('E-mail address').fill('grace@example.com')
    await page.getByLabel('Password').fill('the same password twice')
    await page.keyboard.press('Enter')
    await page.getByText('Choose an organization').waitFor()
    await assertAccessible(page)
    await picture(page, 'choose-organization')
    await page.getByLabel('Second Shop').check()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.waitForURL('**/console/callback?**')

    // Another account signs in over this one: the library ends the old session by a form that it sends by script.
    await page.goto(authorization(control.publicUrl, { prompt: 'login' }).url)
    await page.getByLabel('E-mail address').fill(ada.email)
    await page.getByLabel('Password').fill(ada.password)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/console/callback?**')

    await page.goto(authorization(control.publicUrl, { client_id: 'nobody' }).url)
    await assertAccessible(page)
    await picture(page, 'error')
  }),
)
