import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createPasswordHasher,
  HasherBusyError,
  passwordFault,
} from '../../../src/identity/sign-in/passwords.ts'

const hasher = createPasswordHasher()

test('a password fits its own hash and no other', async () => {
  const stored = await hasher.hash('correct horse battery')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.equal(await hasher.verify('correct horse battery', stored), true)
  assert.equal(await hasher.verify('correct horse batterz', stored), false)
  assert.equal(await hasher.verify('', stored), false)
  assert.notEqual(await hasher.hash('correct horse battery'), stored, 'every hash has a salt of its own')
})

test('a password is the same however its letters are composed', async () => {
  const stored = await hasher.hash('caf\u00e9 au lait sans sucre')
  assert.equal(await hasher.verify('cafe\u0301 au lait sans sucre', stored), true)
})

test('a hash of other parameters still verifies', async () => {
  // argon2id of "password" with the salt "somesaltsomesalt", 64 KiB, three passes, two lanes.
  const stored = await hashOf({ memory: 64, passes: 3, parallelism: 2 })
  assert.equal(await hasher.verify('password', stored), true)
  assert.equal(await hasher.verify('Password', stored), false)
})

async function hashOf(cost: { memory: number; passes: number; parallelism: number }): Promise<string> {
  const { argon2Sync } = await import('node:crypto')
  const nonce = Buffer.from('somesaltsomesalt')
  const hash = argon2Sync('argon2id', { message: 'password', nonce, tagLength: 32, ...cost })
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${text(nonce)}$${text(hash)}`
}

test('no account takes as long as a wrong password', async () => {
  const stored = await hasher.hash('correct horse battery')
  /** Processor time, of all threads: what else the machine does is not in it. */
  const costOf = async (hash: string | null): Promise<number> => {
    const before = process.cpuUsage()
    assert.equal(await hasher.verify('wrong', hash), false)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const rounds: { known: number; unknown: number }[] = []
  for (let round = 0; round < 8; round++)
    rounds.push({ known: await costOf(stored), unknown: await costOf(null) })
  const known = Math.min(...rounds.map((round) => round.known))
  const unknown = Math.min(...rounds.map((round) => round.unknown))
  assert.ok(unknown > known / 2 && unknown < known * 2, `${known} µs and ${unknown} µs`)
})

test('only so many wait, and those who wait are served', async () => {
  const small = createPasswordHasher({ runningMax: 1, waitingMax: 3 })
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => small.verify('x', null)))
  assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 4)
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof HasherBusyError)
  assert.equal(await small.verify('x', null), false, 'and afterwards there is room again')
})

test('what is stored is never taken for a hash when it is none', async () => {
  for (const stored of ['', 'plain', '$argon2i$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$aGFzaA', '$2b$10$abc'])
    await assert.rejects(hasher.verify('plain', stored))
})

test('weak passwords are refused with a reason', () => {
  const fault = (password: string) => passwordFault(password, 'robin.hood@example.com')
  assert.match(fault('short') ?? '', /at least 12/)
  assert.match(fault('x'.repeat(257)) ?? '', /at most 256/)
  assert.match(fault('aaaaaaaaaaaa') ?? '', /more different/)
  assert.match(fault('robin.hood@example.com') ?? '', /e-mail/)
  assert.match(fault('Robin.Hood123') ?? '', /e-mail/)
  assert.equal(fault('correct horse battery'), null)
  assert.equal(fault('🔑🚪🏰🛡️🗝️🧱🪨🌲🌙⭐🔥💧'), null)
  assert.equal(passwordFault('ann loves long walks', 'ann@example.com'), null)
})
