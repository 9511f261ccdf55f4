/** The console among faults: what tests do to its requests, and the faults that they mean by it. */
import type { TestContext } from 'node:test'
import { createSite } from '../../support/site.ts'
import { type ConsoleUnderTest, openConsole } from './console.ts'

export const SHOP = 'shop.gate.localhost'
/** As in `session/session.ts`. */
export const TOKENS_KEY = 'sallyport.tokens'
/** How an API that is away answers. */
export const AWAY = { status: 503, contentType: 'application/json', body: '{}' }
/** Faults that these tests mean to cause. */
export const MEANT = /status of 503|status of 400|ERR_FAILED/

/** Opens the console of an installation with one site; requests are let alone again after each subtest of `t`. */
export async function openFaultyConsole(
  t: TestContext,
): Promise<{ readonly it: ConsoleUnderTest; readonly siteId: string }> {
  const it = await openConsole()
  t.after(() => it.close())
  t.afterEach(() => it.page.unrouteAll())
  const { id } = await createSite(it.installation, SHOP, it.origin.url)
  return { it, siteId: id }
}
