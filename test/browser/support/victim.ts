/** A researcher at a site whose application is the attacker's, signed in to the gate and to that site. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Browser, startBrowser } from './chromium.ts'
import { acceptInvitation, enter, type Gate, type Researcher, startGate } from './gate.ts'

export interface Victim {
  readonly gate: Gate
  readonly browser: Browser
  readonly mira: Researcher
  /** Another researcher of the same organization, who attacks. */
  readonly mallory: Researcher
  /** A page of the hostile application in Mira's browser, whose scripts the test runs. */
  readonly hostile: Page
  /** Throws where the browser is signed in as anybody else, at the gate or at the site, or credentials were revealed. */
  assertStillMira(): Promise<void>
  close(): Promise<void>
}

export async function openVictim(): Promise<Victim> {
  const gate = await startGate()
  const mira = await gate.invite('Mira')
  const mallory = await gate.invite('Mallory')
  const browser = await startBrowser()
  const hostile = await browser.open()
  await acceptInvitation(hostile, mira.invitation)
  await enter(hostile, `${gate.shop.url}/a-path-of-mira`)
  return {
    gate,
    browser,
    mira,
    mallory,
    hostile,
    assertStillMira: async () => {
      assert.equal(await whoIsAtTheGate(gate, browser), mira.email)
      assert.equal(await whoIsAt(gate, hostile), mira.id)
      const { body } = await gate.installation.api('GET', '/api/AuditLog?limit=100')
      assert.equal(
        JSON.stringify(body).includes('site.credentials.reveal'),
        false,
        'credentials were revealed',
      )
    },
    close: async () => {
      await browser.close()
      await gate.close()
    },
  }
}

/** Whose session the browser has at the gate's own host: the e-mail address, empty where it has none. */
export async function whoIsAtTheGate(gate: Gate, browser: Browser): Promise<string> {
  const page = await browser.open()
  await page.goto(`${gate.url}/`)
  const email = await page.evaluate(() =>
    fetch('/api/me')
      .then((answer) => answer.json())
      .then((me: { researcher?: { email: string } }) => me.researcher?.email ?? ''),
  )
  await page.close()
  return email
}

/** Under whose name a request of the page goes to its origin: what the gate asserts there. Empty where it goes nowhere. */
export async function whoIsAt(gate: Gate, page: Page): Promise<string> {
  const path = `/whose-${crypto.randomUUID()}`
  await page.evaluate((target) => fetch(target), path)
  const seen = gate.origin.seen.find(({ target }) => target === path)
  const [, claims = ''] = String(seen?.headers['sallyport-assertion'] ?? '').split('.')
  return claims === '' ? '' : JSON.parse(Buffer.from(claims, 'base64url').toString()).sub
}
