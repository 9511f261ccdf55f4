import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { RESEARCHER_INVITATIONS_MAX, RESEARCHER_KEYS_MAX } from '@sallyport/contract'
import { callerOf, startTestControl } from '../../support/control.ts'

const control = await startTestControl()
after(() => control.close())
const { keys } = await control.createOrganization('researchers')
const call = callerOf(control, keys.owner)
const owner = { key: keys.owner }

test('a researcher is created, listed, given another key and removed', async () => {
  const created = await control.call('POST', '/api/Hackers', {
    ...owner,
    body: { email: 'robin@example.com' },
  })
  assert.equal(created.status, 201, created.text)
  assert.match(created.json.key, /^rk_live_/)
  assert.match(
    created.json.invitation,
    /^http:\/\/sallyport\.gate\.localhost:7080\/invitation#token=[\w-]{32}$/,
  )
  const again = await control.call('POST', '/api/Hackers', { ...owner, body: { email: 'Robin@example.com' } })
  assert.equal(again.status, 409)
  const { id } = created.json
  const rotated = await control.call('POST', `/api/Hackers/${id}/rotateKey`, owner)
  assert.equal(rotated.status, 201, rotated.text)
  const keysOf = await control.call('GET', `/api/Hackers/${id}/keys`, owner)
  assert.deepEqual(
    keysOf.json.items.map((key: { id: string }) => key.id),
    [rotated.json.id],
  )
  const withKeys = await control.call('GET', `/api/Hackers/${id}?include=keys`, owner)
  const { keys: included, ...alone } = withKeys.json
  assert.deepEqual(included, keysOf.json.items)
  assert.deepEqual(alone, (await control.call('GET', `/api/Hackers/${id}`, owner)).json)
  assert.equal(
    (await control.call('DELETE', `/api/Hackers/${id}/keys/${rotated.json.id}`, owner)).status,
    204,
  )
  assert.equal((await control.call('DELETE', `/api/Hackers/${id}`, owner)).status, 204)
  assert.equal((await control.call('GET', `/api/Hackers/${id}`, owner)).status, 404)
})

test('researchers are listed by their ids, those of the own organization alone', async () => {
  const other = await control.createOrganization('researchers-of-others')
  const theirs = callerOf(control, other.keys.owner)
  const ids: string[] = []
  for (const name of ['one', 'two', 'three'])
    ids.push((await theirs('POST', '/api/Hackers', { email: `${name}@example.com` })).json.id)
  const [one = '', , three = ''] = ids
  const found = (await theirs('GET', `/api/Hackers?id=${one}&id=${three.toUpperCase()}&id=nobody`)).json
  assert.deepEqual(
    found.items.map(({ id }: { id: string }) => id),
    [three, one],
  )
  assert.deepEqual((await theirs('GET', '/api/Hackers?id=nobody')).json, { items: [], next: null })
  assert.deepEqual((await call('GET', `/api/Hackers?id=${one}`)).json, { items: [], next: null })
  const many = Array.from({ length: 101 }, () => `id=${one}`).join('&')
  assert.equal((await theirs('GET', `/api/Hackers?${many}`)).status, 400)
})

test('a researcher has so many keys and links at once, and no more', async () => {
  const { json: hacker } = await call('POST', '/api/Hackers', { email: 'many@example.com' })
  for (let count = 1; count < RESEARCHER_KEYS_MAX; count++)
    assert.equal((await call('POST', `/api/Hackers/${hacker.id}/rotateKey`, { keepOld: true })).status, 201)
  const refused = await call('POST', `/api/Hackers/${hacker.id}/rotateKey`, { keepOld: true })
  assert.equal(refused.json.code, 'conflict')
  assert.equal((await call('POST', `/api/Hackers/${hacker.id}/rotateKey`)).status, 201)
  assert.equal((await call('GET', `/api/Hackers/${hacker.id}/keys`)).json.items.length, 1)

  const links: string[] = []
  for (let count = 0; count < RESEARCHER_INVITATIONS_MAX + 3; count++) {
    const { json } = await call('POST', `/api/Hackers/${hacker.id}/invite`)
    links.push(json.invitation.split('#token=')[1] ?? '')
  }
  const rows = await control.database.readInstallation((tx) =>
    tx.query<{ hash: string }>(
      'SELECT hash FROM researcher_invitations WHERE researcher_id = $1 ORDER BY id',
      [hacker.id],
    ),
  )
  const newest = links.slice(-RESEARCHER_INVITATIONS_MAX)
  assert.deepEqual(
    rows.map(({ hash }) => hash),
    newest.map((token) => createHash('sha256').update(token).digest('hex')),
  )
})
