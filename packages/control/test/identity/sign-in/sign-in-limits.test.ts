import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, beforeEach, describe, test } from 'node:test'
import {
  ACCOUNT_ATTEMPTS_MAX,
  ADDRESS_ATTEMPTS_MAX,
  createSignInLimits,
  SIGN_IN_WINDOW_MS,
  type SignInLimits,
} from '../../../src/identity/sign-in/sign-in-limits.ts'
import { createAttemptCounters } from '../../../src/identity/sign-in/store-attempts.ts'
import { addOrganization } from '../../support/database.ts'
import { authorization, Browser } from '../support/browser.ts'
import { addMember, startExampleShop, type TestMember } from '../support/control.ts'

const { control, ada } = await startExampleShop()

describe('limits over the shared counters', () => {
  let limits: SignInLimits
  let account = 0
  let email: string
  const from = (address: string, deviceId: string | null = null) => ({ email, address, deviceId })
  const admitted = async (attempt: ReturnType<typeof from>, times: number): Promise<number> =>
    (await Promise.all(Array.from({ length: times }, () => limits.admit(attempt)))).filter(Boolean).length

  beforeEach(async () => {
    limits = createSignInLimits(createAttemptCounters(control.database))
    email = `account-${++account}@example.com`
    await control.database.writeInstallation((tx) => tx.query('DELETE FROM sign_in_attempts'))
  })

  test('guesses at an account are few, also when they come together and from everywhere', async () => {
    const attempts = await Promise.all(
      Array.from({ length: 40 }, (_, index) => limits.admit(from(`192.0.2.${index}`))),
    )
    assert.equal(attempts.filter(Boolean).length, ACCOUNT_ATTEMPTS_MAX)
  })

  test('strangers do not shut out a browser that is known, nor the other way round', async () => {
    assert.equal(await admitted(from('192.0.2.1'), ACCOUNT_ATTEMPTS_MAX + 5), ACCOUNT_ATTEMPTS_MAX)
    assert.equal(await limits.admit(from('192.0.2.9', 'known')), true)
    assert.equal(await admitted(from('192.0.2.9', 'known'), 20), ACCOUNT_ATTEMPTS_MAX - 1)
    assert.equal(await limits.admit(from('192.0.2.8', 'another')), true)
  })

  test('an address that tries many accounts is stopped, and others are not', async () => {
    let count = 0
    for (let index = 0; index < ADDRESS_ATTEMPTS_MAX + 10; index++) {
      email = `victim-${index}@example.com`
      if (await limits.admit(from('198.51.100.7'))) count++
    }
    assert.equal(count, ADDRESS_ATTEMPTS_MAX)
    assert.equal(await limits.admit(from('198.51.100.8')), true)
    assert.equal(
      await limits.admit(from('198.51.100.7', 'known')),
      true,
      'a known browser behind the same proxy',
    )
  })

  test('right passwords do not count', async () => {
    for (let index = 0; index < ADDRESS_ATTEMPTS_MAX + 10; index++) {
      assert.equal(await limits.admit(from('203.0.113.1')), true)
      await limits.succeeded(from('203.0.113.1'))
    }
  })

  test('the window passes', async () => {
    assert.equal(await admitted(from('203.0.113.2'), ACCOUNT_ATTEMPTS_MAX + 1), ACCOUNT_ATTEMPTS_MAX)
    await control.database.writeInstallation((tx) =>
      tx.query(`UPDATE sign_in_attempts SET started_at = started_at - $1 * interval '1 ms'`, [
        SIGN_IN_WINDOW_MS,
      ]),
    )
    assert.equal(await limits.admit(from('203.0.113.2')), true)
  })

  test('letters of an address do not open another allowance', async () => {
    assert.equal(await admitted(from('203.0.113.3'), ACCOUNT_ATTEMPTS_MAX), ACCOUNT_ATTEMPTS_MAX)
    email = email.toUpperCase()
    assert.equal(await limits.admit(from('203.0.113.3')), false)
  })
})

describe('over HTTP', () => {
  before(() => control.database.writeInstallation((tx) => tx.query('DELETE FROM sign_in_attempts')))

  test('too many attempts are answered 429, alike for an account that exists and one that does not', async () => {
    const home = new Browser()
    await attempt(home, ada.email, ada.password)
    for (const email of [ada.email, 'nobody@example.com']) {
      const stranger = new Browser()
      for (let index = 0; index < ACCOUNT_ATTEMPTS_MAX; index++)
        assert.equal((await attempt(stranger, email, 'wrong')).status, 401)
      const limited = await attempt(stranger, email, email === ada.email ? ada.password : 'wrong')
      assert.equal(limited.status, 429)
      assert.equal(limited.headers.get('retry-after'), '900')
      assert.match(limited.body, /Wait 15 minutes/)
    }
    const again = await attempt(home, ada.email, ada.password, { prompt: 'login' })
    assert.match(again.url, /code=/, 'the browser that had signed in before is let in')
  })

  describe('who has an account of the same address', () => {
    const own = 'a password of their own'
    const again = { prompt: 'login' }
    let other = ''
    let victim: TestMember
    before(async () => {
      other = await addOrganization(control.database, 'Other Shop')
    })
    beforeEach(async () => {
      await control.database.writeInstallation((tx) => tx.query('DELETE FROM sign_in_attempts'))
      victim = await addMember(control.database, ada.orgId, `${randomUUID()}@example.com`)
      await addMember(control.database, other, victim.email, { password: own })
    })

    test('is a stranger to the others in every browser that has signed in to it', async () => {
      const [one, two] = [new Browser(), new Browser()]
      for (const browser of [one, two]) assert.match((await attempt(browser, victim.email, own)).url, /code=/)
      for (let index = 0; index < ACCOUNT_ATTEMPTS_MAX; index++)
        assert.equal((await attempt(one, victim.email, `guess ${index}`, again)).status, 401)
      assert.equal((await attempt(two, victim.email, victim.password, again)).status, 401)
      assert.match((await attempt(two, victim.email, own, again)).url, /code=/, 'their own is theirs still')
    })

    test('guesses at the others also by what is right for their own', async () => {
      for (let index = 0; index < ACCOUNT_ATTEMPTS_MAX; index++)
        assert.match((await attempt(new Browser(), victim.email, own)).url, /code=/)
      assert.equal((await attempt(new Browser(), victim.email, victim.password)).status, 429)
    })
  })

  test('an address has one spelling for the counter and for the account', async () => {
    // PostgreSQL makes an i and a k of these letters; JavaScript agrees about the second.
    const { email, password } = await addMember(control.database, ada.orgId, 'kim@example.com')
    for (const [letter, other] of [
      ['i', '\u0130'],
      ['k', '\u212a'],
    ] as const)
      assert.equal((await attempt(new Browser(), email.replace(letter, other), password)).status, 401)
    assert.match((await attempt(new Browser(), email.toUpperCase(), password)).url, /code=/)
  })

  test('an address that no database can hold is a wrong one', async () => {
    assert.equal((await attempt(new Browser(), 'ada\0@example.com', 'wrong')).status, 401)
  })
})

async function attempt(
  browser: Browser,
  email: string,
  password: string,
  changes: Record<string, string> = {},
) {
  const page = await browser.go(authorization(control.publicUrl, changes).url)
  return browser.submit(page.url, { email, password })
}
