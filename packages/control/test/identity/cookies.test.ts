/** The cookies of the identity provider: nobody but its host can set them, and two tabs do not get in each other's way. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { authorization, Browser, exchangeCode, signIn } from './support/browser.ts'
import { startExampleShop } from './support/control.ts'

const { installation, control, ada } = await startExampleShop()

const namesOf = (browser: Browser): string[] =>
  [...browser.cookies.keys()].map((key) => key.split(' ')[0] ?? '')

test('every cookie of a sign-in is the host’s alone', async () => {
  const browser = new Browser()
  const page = await browser.go(authorization(control.publicUrl).url)
  const lines = page.headers.getSetCookie()
  await browser.submit(page.url, { email: ada.email, password: ada.password })
  for (const name of namesOf(browser)) assert.match(name, /^__Host-/)
  assert.ok(namesOf(browser).includes('__Host-sallyport_session'))
  assert.ok(namesOf(browser).includes('__Host-sallyport_device'))
  for (const line of lines) assert.match(line, /; httponly/i)
  assert.ok(
    !namesOf(browser).some((name) => name.includes('sign_in')),
    'a sign-in that is over leaves nothing',
  )
})

test('a session under any other name is not believed', async () => {
  const browser = new Browser()
  await signIn(control.publicUrl, ada, browser)
  const header = (prefix: string): string =>
    [...browser.cookies]
      .map(([key, { value }]) => `${key.split(' ')[0]?.replace('__Host-', prefix)}=${value}`)
      .join('; ')
  const answered = async (cookie: string): Promise<string> => {
    const response = await fetch(authorization(control.publicUrl).url, {
      headers: { cookie },
      redirect: 'manual',
    })
    return new URL(response.headers.get('location') ?? '', control.publicUrl).pathname
  }
  assert.equal(await answered(header('__Host-')), '/console/callback')
  for (const prefix of ['', '__Secure-', '__host-', '__Host-__Host-'])
    assert.match(await answered(header(prefix)), /^\/identity\/sign-in\//, prefix)
})

test('two tabs sign in side by side, in either order', async () => {
  const browser = new Browser()
  const tabs = [authorization(control.publicUrl), authorization(control.publicUrl)]
  const pages = [await browser.go(tabs[0]?.url ?? ''), await browser.go(tabs[1]?.url ?? '')]
  for (const index of [0, 1]) {
    const [tab, page] = [tabs[index], pages[index]]
    assert.ok(tab && page)
    const back = await browser.submit(page.url, { email: ada.email, password: ada.password })
    if (index === 0) await exchangeCode(control.publicUrl, tab, back.url)
  }
})

test('sign-ins that were left alone do not pile up', async () => {
  const browser = new Browser()
  let last = ''
  for (let count = 0; count < 12; count++) last = (await browser.go(authorization(control.publicUrl).url)).url
  const begun = namesOf(browser).filter((name) => /sign_in\.[\w-]+$/.test(name))
  assert.equal(begun.length, 8)
  assert.equal(namesOf(browser).length, 4 * 8)
  assert.equal((await browser.send(last)).status, 200, 'the latest goes on')
})

describe('over plain HTTP under a name', () => {
  test('browsers would keep no secure cookie, so the names are plain', async () => {
    const publicUrl = 'http://sallyport.example'
    const plain = await installation.start({ publicUrl })
    const begun = authorization(publicUrl).url.replace(publicUrl, plain.url)
    const response = await fetch(begun, { redirect: 'manual' })
    const lines = response.headers.getSetCookie()
    assert.equal(response.status, 303)
    assert.ok(lines.length > 0)
    for (const line of lines) assert.doesNotMatch(line, /__Host-|; secure/i)
  })
})
