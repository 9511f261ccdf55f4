/**
 * The pictures in `docs/images`: `node tools/screenshots.ts` while `npm run demo` runs (give it a minute of traffic).
 * Reads the demo's first-run file for the password; SALLYPORT_DATA_DIR says where, as for the demo.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Site } from '@sallyport/contract'
import type { Page } from 'playwright-core'
import type { FirstRun } from '../packages/sallyport/src/roles/first-run-file.ts'
import { startBrowser } from '../test/browser/support/chromium.ts'

const root = resolve(import.meta.dirname, '..')
const dataDir = resolve(process.env.SALLYPORT_DATA_DIR || join(root, 'data', 'demo'))
const images = join(root, 'docs/images')
const SETTLE_MS = 1_800
const WINDOW = { width: 1280, height: 760 }
/** What stands where a key would, so that no picture holds one. */
const NO_KEY = 'rk_live_YOUR_KEY'

const firstRun: FirstRun = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8'))
const consoleUrl = `${firstRun.controlUrl.replace('127.0.0.1', 'localhost')}/console/`
const sites = (await (
  await fetch(`${firstRun.controlUrl}/api/sites`, { headers: { authorization: `Bearer ${firstRun.apiKey}` } })
).json()) as Site[]
const site = sites.find((one) => one.isActive && one.instructions !== '') ?? sites[0]
if (!site) throw new Error('the demo has no site yet')

const browser = await startBrowser({ viewport: WINDOW })
try {
  mkdirSync(images, { recursive: true })
  const page = await browser.open()
  await signIn(page)
  await takeAll(page, 'light', [
    ['overview', '?gte=now-15m'],
    ['site-block-rules', `sites/${site.id}/blocks`],
    ['traffic', 'traffic?gte=now-15m'],
    ['firewall', 'firewall?gte=now-15m'],
  ])
  await takeAll(page, 'dark', [['traffic', 'traffic?gte=now-15m']])
  await takeResearcherPage(page, site)
} finally {
  await browser.close()
}

async function signIn(page: Page): Promise<void> {
  await page.goto(consoleUrl)
  await page.locator('input[name="email"]').fill(firstRun.email)
  await page.locator('input[name="password"]').fill(firstRun.password)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Areas' }).waitFor()
}

async function takeAll(
  page: Page,
  colorScheme: 'light' | 'dark',
  pages: readonly (readonly [name: string, path: string])[],
): Promise<void> {
  await page.emulateMedia({ colorScheme })
  for (const [name, path] of pages) {
    await page.goto(consoleUrl + path)
    await take(page, `${name}-${colorScheme}`)
  }
}

async function takeResearcherPage(page: Page, { gatedName }: Site): Promise<void> {
  const { port } = new URL(firstRun.gatewayUrl)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`http://${gatedName}:${port}/.sallyport/`)
  await page.getByLabel('Key').fill(firstRun.researcher.key)
  await page.getByRole('button', { name: 'Show my page' }).click()
  await page.getByRole('heading', { name: gatedName }).waitFor()
  await page.getByLabel('Key', { exact: true }).fill(NO_KEY)
  await take(page, 'researcher-light')
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(SETTLE_MS)
  await page.screenshot({ path: join(images, `${name}.png`) })
  console.log(`docs/images/${name}.png`)
}
