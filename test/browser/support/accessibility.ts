/** axe-core over a page, by the rules of WCAG 2.2 A and AA. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const resolve = createRequire(new URL('../../../packages/console/package.json', import.meta.url)).resolve
const AXE = readFileSync(resolve('axe-core/axe.min.js'), 'utf8')
const SETTLED = `Promise.allSettled(
  document.getAnimations()
    .filter((animation) => animation.effect?.getComputedTiming().iterations !== Infinity)
    .map((animation) => animation.finished),
).then(() => undefined)`
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe finds wrong, a line each: the rule, and where. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Colours that are still on their way to others are nobody's.
  await page.evaluate(SETTLED)
  // Evaluated by the debugger, which the page's security policy does not bind.
  await page.evaluate(AXE)
  const results = (await page.evaluate(
    `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(TAGS)} }, resultTypes: ['violations'] })`,
  )) as AxeResults
  return results.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  )
}
