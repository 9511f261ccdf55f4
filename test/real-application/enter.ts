/** How a page of Chromium gets into a gated host without the pages of the gate. */
import type { Page } from 'playwright-core'
import type { TestBrowser } from '../../packages/gateway/test/support/test-browser.ts'

/** Lets a page into what is visited. */
export type Enter = (page: Page) => Promise<unknown>

/** Lets a page into a gated host by a code that somebody who is signed in gets for its nonce. */
export const enterBy =
  (signedIn: TestBrowser): Enter =>
  async (page) => {
    await page.goto(`${signedIn.site}/.sallyport/sign-in?to=/.well-known/nothing`)
    const asked = new URL(page.url()).searchParams
    const [host, nonce, to] = ['host', 'nonce', 'to'].map((name) => asked.get(name))
    const { json } = await signedIn.call('POST', 'codes', { host, nonce, to })
    await page.goto(json.location)
  }
