/** What of a page can be neither read nor reached: it stands out of the window, or is cut off without a way to see the rest. */
import type { Page } from 'playwright-core'

/** A line each; none where all of the page is within reach. */
export const sticksOut = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const slack = 1
    const found = new Set<string>()
    const nameOf = (element: Element): string =>
      `${element.tagName.toLowerCase()} "${(element.textContent ?? '').trim().slice(0, 40)}"`
    const root = document.documentElement
    if (root.scrollWidth > root.clientWidth + slack) found.add(`the page is ${root.scrollWidth} pixels wide`)
    const main = document.querySelector('main')
    if (main && main.scrollWidth > main.clientWidth + slack)
      found.add(`the main part is ${main.scrollWidth} pixels wide, of ${main.clientWidth}`)
    const isHidden = (element: Element): boolean =>
      element.closest('.visually-hidden, .visually-hidden-if-wide, [aria-hidden="true"]') !== null ||
      !element.checkVisibility({ visibilityProperty: true })
    for (const element of document.querySelectorAll('main *, header *')) {
      // The text of a field scrolls in it.
      if (!(element instanceof HTMLElement) || element.matches('input, textarea') || isHidden(element))
        continue
      const style = getComputedStyle(element)
      const hides = style.overflowX === 'hidden' || style.overflowX === 'clip'
      const isCut = hides && element.scrollWidth > element.clientWidth + slack && element.clientWidth > 1
      // Three dots say that there is more, and so does a shadow of the text under the pointer.
      if (isCut && style.textOverflow !== 'ellipsis') found.add(`cut off: ${nameOf(element)}`)
    }
    return [...found].slice(0, 8)
  })
