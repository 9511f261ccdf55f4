/**
 * What a page of one web origin can read of another or write there, tried out in a browser: each probe is given a page of
 * the one and a page of the other, and says of each relation whether it holds.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'

/** How long something that does not come is waited for. */
const PATIENCE_MS = 600

export interface WebOrigin {
  /** A page that its own scripts could have drawn; the test runs them. */
  readonly page: Page
  /** The address of that page. */
  readonly url: string
  /** A script of its own. */
  readonly script: string
  /** What is on its page once it has come to rest. */
  readonly landmark: (page: Page) => Locator
}

/** Whether it comes about within the patience. */
async function comesAbout(condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await condition())) {
    if (performance.now() > deadline) return false
    await sleep(20)
  }
  return true
}

type Probe = (from: WebOrigin, to: WebOrigin) => Promise<Readonly<Record<string, boolean>>>

/** The answers that another origin gives, read, embedded or framed. */
const answers: Probe = async (from, to) => ({
  'reads its answers': await from.page.evaluate(
    (url) =>
      fetch(url, { credentials: 'include' })
        .then((answer) => answer.text())
        .then((text) => text !== '')
        .catch(() => false),
    to.url,
  ),
  'runs its scripts': await from.page.evaluate(
    (url) =>
      new Promise<boolean>((resolve) => {
        const script = document.createElement('script')
        script.onload = () => resolve(true)
        script.onerror = () => resolve(false)
        script.src = url
        document.head.append(script)
      }),
    to.script,
  ),
  'frames its pages': await frames(from, to),
})

async function frames(from: WebOrigin, to: WebOrigin): Promise<boolean> {
  const name = `frame-${randomUUID()}`
  await from.page.evaluate(
    ([url, id]) => {
      const frame = document.createElement('iframe')
      frame.name = id
      frame.src = url
      document.body.append(frame)
    },
    [to.url, name] as const,
  )
  const shown = await comesAbout(async () => {
    // A frame that was refused shows a page of the browser's own, which has no scripts to ask.
    const frame = from.page.frame(name)
    const origin = await frame?.evaluate(() => location.origin).catch(() => '')
    return origin === new URL(to.url).origin
  })
  await from.page.evaluate((id) => document.querySelector(`[name="${id}"]`)?.remove(), name)
  return shown
}

/** A window that the one opens on the other. */
const windows: Probe = async (from, to) => {
  const opening = from.page.context().waitForEvent('page')
  await from.page.evaluate((url) => Object.assign(window, { opened: window.open(url) }), to.url)
  const opened = await opening
  await to.landmark(opened).waitFor()
  await opened.evaluate(() => {
    Object.assign(window, { heard: false })
    addEventListener('message', () => Object.assign(window, { heard: true }))
  })
  // A window that is cut off is told so by another process, which may be later than the page that it shows.
  const cutOff = await comesAbout(() =>
    from.page.evaluate(() => (window as unknown as { opened: Window | null }).opened?.closed ?? true),
  )
  const held = await from.page.evaluate(() => {
    // Put there just before.
    const { opened } = window as unknown as { opened: Window | null }
    if (!opened || opened.closed) return { holds: false, scripts: false }
    opened.postMessage('a message', '*')
    try {
      return { holds: true, scripts: opened.document.body !== null }
    } catch {
      return { holds: true, scripts: false }
    }
  })
  const hears = await comesAbout(() => opened.evaluate(() => (window as unknown as { heard: boolean }).heard))
  const knowsOpener = await opened.evaluate(() => window.opener !== null)
  await opened.close()
  return {
    'holds a window that it opens there': held.holds && !cutOff,
    'scripts that window': held.scripts,
    'sends it messages': hears,
    'is known to it as its opener': knowsOpener,
  }
}

/** What a tab carries along when it goes from the one to the other. */
const sameTab: Probe = async (from, to) => {
  const tab = await from.page.context().newPage()
  await tab.goto(from.url)
  await from.landmark(tab).waitFor()
  const left = tab.waitForEvent('load')
  await tab.evaluate((url) => {
    window.name = 'a name'
    setTimeout(() => location.assign(url))
  }, to.url)
  await left
  await to.landmark(tab).waitFor()
  const name = await tab.evaluate(() => window.name)
  const referrer = await tab.evaluate(() => document.referrer)
  await tab.close()
  const { pathname } = new URL(from.url)
  return {
    'hands on window.name': name === 'a name',
    'hands on more of its address than its origin': pathname !== '/' && referrer.includes(pathname),
  }
}

/** Cookies that a script of the one sets, as requests to the other carry them. */
const cookies: Probe = async (from, to) => {
  const id = randomUUID().slice(0, 8)
  await from.page.evaluate((mark) => {
    const all = [
      `own-${mark}=1; Path=/`,
      `parent-${mark}=1; Path=/; Domain=gate.localhost`,
      `__Host-other-${mark}=1; Path=/; Secure; Domain=gate.localhost`,
      `__Host-Http-other-${mark}=1; Path=/; Secure`,
    ]
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie store refuses forms that this lets through
    for (const cookie of all) document.cookie = cookie
    // Asked on the way by which they were sent, so that they are there before anything else asks.
    return document.cookie
  }, id)
  const context = from.page.context()
  const names = (await context.cookies(to.url)).map(({ name }) => name)
  await context.clearCookies({ name: new RegExp(id) })
  return {
    'sets a cookie that it gets': names.includes(`own-${id}`),
    'sets a cookie of the parent domain that it gets': names.includes(`parent-${id}`),
    'sets a __Host- or __Host-Http- cookie that it gets': names.some((name) => name.endsWith(`other-${id}`)),
  }
}

/** What browsers keep for an origin. */
const storage: Probe = async (from, to) => {
  const mark = randomUUID()
  await from.page.evaluate(async (key) => {
    localStorage.setItem(key, 'kept')
    await caches.open(key)
    await new Promise<void>((resolve, reject) => {
      const opening = indexedDB.open(key)
      opening.onsuccess = () => {
        opening.result.close()
        resolve()
      }
      opening.onerror = () => reject(opening.error)
    })
  }, mark)
  const listening = to.page.evaluate(
    ([name, patience]) =>
      new Promise<boolean>((resolve) => {
        const channel = new BroadcastChannel(name)
        channel.onmessage = () => resolve(true)
        setTimeout(() => resolve(false), patience)
      }),
    [mark, 2 * PATIENCE_MS] as const,
  )
  await from.page.evaluate(
    async ([name, patience]) => {
      const channel = new BroadcastChannel(name)
      for (let sent = 0; sent < 4; sent++) {
        channel.postMessage('a message')
        await new Promise((resolve) => setTimeout(resolve, patience / 3))
      }
    },
    [mark, PATIENCE_MS] as const,
  )
  return {
    'writes its localStorage': await to.page.evaluate((key) => localStorage.getItem(key) === 'kept', mark),
    'writes its IndexedDB': await to.page.evaluate(
      async (key) => (await indexedDB.databases()).some(({ name }) => name === key),
      mark,
    ),
    'writes its Cache storage': await to.page.evaluate((key) => caches.has(key), mark),
    'is heard on its BroadcastChannel': await listening,
  }
}

export const PROBES: readonly Probe[] = [answers, windows, sameTab, cookies, storage]
