/** axe-core over a page, by the rules of WCAG 2.2 A and AA. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const resolve = createRequire(new URL('../../../packages/console/package.json', import.meta.url)).resolve
const AXE = readFileSync(resolve('axe-core/axe.min.js'), 'utf8')
/** How many animations may follow each other: where a colour is inherited, that of a child begins when its parent's has ended. */
const ROUNDS_MAX = 10
const SETTLED = `(async () => {
  for (let round = 0; round < ${ROUNDS_MAX}; round += 1) {
    await new Promise(requestAnimationFrame)
    const running = document.getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().iterations !== Infinity)
    if (running.length === 0) return
    await Promise.allSettled(running.map((animation) => animation.finished))
  }
})()`
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Rules of these tags whose verdict depends on colours: all that another scheme can change. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** What axe finds wrong, a line each: the rule, and where. `rules` are those of a colour scheme beside one that was checked whole. */
export async function violationsOf(page: Page, rules: 'all' | 'of colours' = 'all'): Promise<string[]> {
  // Colours that are still on their way to others are nobody's.
  await page.evaluate(SETTLED)
  // Evaluated by the debugger, which the page's security policy does not bind; once for each document.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  const only = rules === 'all' ? { type: 'tag', values: TAGS } : { type: 'rule', values: COLOUR_RULES }
  const results = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(only)}, resultTypes: ['violations'] })`,
  )) as AxeResults
  return results.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  )
}

/**
 * Of the page as it stands: everything in the scheme that it is in, and of the other one what colours change. Leaves the page in that
 * other scheme, as turning it back would draw the whole page once more.
 */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  const first = await schemeOf(page)
  const found = (await violationsOf(page)).map((violation) => `${first}: ${violation}`)
  const other = first === 'light' ? 'dark' : 'light'
  await inScheme(page, other)
  const ofColours = await violationsOf(page, 'of colours')
  return [...found, ...ofColours.map((violation) => `${other}: ${violation}`)]
}

/** Which scheme the page is drawn in. */
const schemeOf = (page: Page): Promise<'light' | 'dark'> =>
  page.evaluate(() => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'))

/** Turns the console to a scheme in place, and waits until it has turned. */
async function inScheme(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: 'attached' })
}
