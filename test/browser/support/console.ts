/** The console of a real installation, opened in a real browser by its first owner. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { type Installation, startInstallation } from '../../support/installation.ts'
import { type Origin, startOrigin } from '../../support/origin.ts'
import { type Browser, type BrowserOptions, startBrowser } from './chromium.ts'

const BUILT_PAGE = resolve(import.meta.dirname, '../../../packages/console/dist/console/index.html')

/** How long a visit lasts that waits for something: the first, and the last. */
const VISIT_MS_MIN = 1_000
const VISIT_MS_MAX = 32_000

export interface ConsoleUnderTest {
  readonly installation: Installation
  readonly origin: Origin
  readonly browser: Browser
  /** Where the console is, with a slash at the end. */
  readonly consoleUrl: string
  /** Signed in, on the first page. */
  readonly page: Page
  /** Opens an address of the console, for example `/sites`. */
  visit(path: string): Promise<void>
  /**
   * Opens an address again and again until something is there: a page may be there before what it is to show. Stays longer each time: what
   * is shown at once where nothing else runs may take many seconds on a loaded machine, and begins anew with each visit.
   */
  visitUntil(path: string, there: Locator): Promise<void>
  close(): Promise<void>
}

/** `environment` has further settings of the installation. */
export async function openConsole(
  options: BrowserOptions = {},
  environment?: Readonly<Record<string, string>>,
): Promise<ConsoleUnderTest> {
  assert.ok(existsSync(BUILT_PAGE), 'the console is not built: npm run build -w @sallyport/console')
  const installation = await startInstallation(environment && { environment })
  const origin = await startOrigin()
  const browser = await startBrowser(options)
  const page = await browser.open()
  const consoleUrl = consoleUrlOf(installation)
  await page.goto(consoleUrl)
  await signIn(page, installation)
  const visit = async (path: string): Promise<void> => {
    await page.goto(`${consoleUrl}${path.replace(/^\//, '')}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  }
  return {
    installation,
    origin,
    browser,
    consoleUrl,
    page,
    visit,
    visitUntil: async (path, there) => {
      for (let waitMs = VISIT_MS_MIN; ; waitMs *= 2) {
        await visit(path)
        const isThere = await there.waitFor({ timeout: waitMs }).then(
          () => true,
          (error: unknown) => (waitMs < VISIT_MS_MAX ? false : Promise.reject(error)),
        )
        if (isThere) return
      }
    },
    close: async () => {
      await browser.close()
      await origin.close()
      await installation.remove()
    },
  }
}

/** Browsers treat `localhost` as secure, and it is what the identity provider calls itself. */
export const consoleUrlOf = (installation: Installation): string =>
  `${installation.controlUrl.replace('127.0.0.1', 'localhost')}/console/`

export async function signIn(page: Page, installation: Installation): Promise<void> {
  await page.locator('input[name="email"]').fill(installation.firstRun.email)
  await page.locator('input[name="password"]').fill(installation.firstRun.password)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Areas' }).waitFor()
}

/** Faults that are no fault of the console: the requests that a test means to fail. */
export const unexpected = (faults: readonly string[], expected: RegExp = /(?!)/): string[] =>
  faults.filter((fault) => !expected.test(fault))
