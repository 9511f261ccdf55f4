import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageHeaders } from '../../../src/identity/provider/page.ts'
import { createRefusedSignIns } from '../../../src/identity/sign-in/refused-sign-ins.ts'
import { ACCOUNT_ATTEMPTS_MAX } from '../../../src/identity/sign-in/sign-in-limits.ts'
import { authorization, Browser } from '../support/browser.ts'
import { startExampleShop } from '../support/control.ts'

const { control, orgId, ada } = await startExampleShop()

interface Line {
  readonly level: number
  readonly reason: string
  readonly address: string
  readonly requestId: string
  readonly members: readonly unknown[]
}

/** The lines of the log about refused sign-ins. */
const lines = (): Line[] =>
  control
    .log()
    .split('\n')
    .filter((line) => line.includes('"event":"sign_in_refused"'))
    .map((line) => JSON.parse(line))

test('each refused sign-in is one line, with why and for whom, and without what was typed', async () => {
  const page = await new Browser().go(authorization(control.publicUrl).url)
  assert.equal(page.status, 200)
  const browser = new Browser()
  const form = await browser.go(authorization(control.publicUrl).url)
  const typed = { email: 'not-an-account@example.com', password: 'typed-password-one' }
  await browser.submit(form.url, typed)
  await browser.submit(form.url, { email: 'Ada@example.com', password: 'typed-password-two' })
  for (let attempt = 0; attempt < ACCOUNT_ATTEMPTS_MAX; attempt++)
    await browser.submit(form.url, { email: ada.email, password: 'typed-password-three' })

  const known = { orgId, memberId: ada.id }
  const [unknown, wrong, ...more] = lines()
  assert.deepEqual([unknown?.reason, unknown?.members], ['unknown_account', []])
  assert.deepEqual([wrong?.reason, wrong?.members], ['wrong_password', [known]])
  assert.deepEqual([more.at(-1)?.reason, more.at(-1)?.members], ['too_many_attempts', []])
  assert.equal(more.length, ACCOUNT_ATTEMPTS_MAX)
  for (const line of lines()) {
    assert.equal(line.level, 40)
    assert.equal(line.address, '127.0.0.1')
    assert.match(line.requestId, /./)
  }
  assert.doesNotMatch(control.log(), /typed-password|not-an-account|ada@example/i)
})

test('a flood writes a bounded number of lines, and the next one says how many were left out', () => {
  let now = 0
  const written: object[] = []
  const note = createRefusedSignIns({
    log: (fields) => written.push(fields),
    now: () => now,
    linesMax: 3,
    windowMs: 1_000,
  })
  const refuse = () => note({ reason: 'unknown_account', address: '192.0.2.1', requestId: 'r', members: [] })
  for (let attempt = 0; attempt < 100; attempt++) refuse()
  assert.equal(written.length, 3)
  now = 1_000
  refuse()
  refuse()
  assert.deepEqual(
    written.slice(3).map((fields) => 'leftOut' in fields && fields.leftOut),
    [97, false],
  )
})

test('a page names no source that a policy cannot hold', () => {
  const policyOf = (origins: string[]) => pageHeaders(origins)['content-security-policy'] ?? ''
  assert.match(
    policyOf(['http://localhost:7070', 'http://127.0.0.1:7070']),
    /'self' http:\/\/localhost:7070 http/,
  )
  assert.match(policyOf(['http://[::1]:7070']), /form-action 'self';/)
})
