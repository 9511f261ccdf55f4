/** Whatever others wrote, a mail has the lines that we wrote. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOTIFICATION_TYPE_NAMES } from '@sallyport/contract'
import fc from 'fast-check'
import { notificationMail } from '../../../src/notify/delivery/mail-text.ts'

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.constantFrom('a\r\nBcc: x@example.com', '\u2028x', '=?utf-8?Q?=0d=0a?=', '\u202e', 'x'.repeat(5_000)),
)

test('a subject is one bounded line of letters, digits and plain punctuation, and each value one line', () => {
  fc.assert(
    fc.property(fc.constantFrom(...NOTIFICATION_TYPE_NAMES), hostile, hostile, (type, name, value) => {
      const data = { organizationId: 'o', site: { id: '1', name }, tool: value }
      const told = { type, occurred_at: '2026-01-01T00:00:00.000Z', data }
      const { subject, text } = notificationMail(told, 'https://console.example')
      assert.match(subject, /^\[Sallyport\] [\p{L}\p{N} ._*@:,%&-]+$/u)
      assert.ok(subject.length < 250)
      assert.equal(text.split(/[\r\n\u2028\u2029]/).length, 10, text)
      assert.ok(text.length < 2_000)
    }),
  )
})
