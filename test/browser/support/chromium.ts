/** A headless Chromium for a test file, and pages in it that remember every breach of the security policy. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

const CANDIDATES = [
  process.env.SALLYPORT_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const ACTION_WAIT_MS = 30_000

/** Where Chromium is, or undefined where the machine has none. */
const chromiumPath: string | undefined = CANDIDATES.find((path) => path && existsSync(path))

/** For the `skip` option of a test: the reason, or false where it can run. */
export const withoutChromium: string | false = chromiumPath
  ? false
  : 'no Chromium on this machine; name one in SALLYPORT_CHROMIUM'

export interface Browser {
  readonly context: BrowserContext
  /** A new page. What breaks the content security policy, throws or is logged as an error is added to `faults`. */
  open(): Promise<Page>
  /** Every fault so far, of all pages. */
  readonly faults: string[]
  close(): Promise<void>
}

export interface BrowserOptions {
  readonly colorScheme?: 'light' | 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
  /** Further switches of the command line. */
  readonly switches?: readonly string[]
}

/** Starts Chromium on a profile of its own, which is deleted when it closes. */
export async function startBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
    ...(chromiumPath ? { executablePath: chromiumPath } : {}),
    headless: true,
    args: [...FLAGS, ...(options.switches ?? [])],
    colorScheme: options.colorScheme ?? 'light',
    viewport: options.viewport ?? { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(ACTION_WAIT_MS)
  const faults: string[] = []
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy breach: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    )
  })
  return {
    context,
    faults,
    open: async () => {
      const page = await context.newPage()
      page.on('pageerror', (error) => faults.push(`page error: ${error.message}`))
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(`${message.text()} at ${message.location().url}`)
      })
      return page
    },
    close: async () => {
      await context.close()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
