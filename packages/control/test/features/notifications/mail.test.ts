/** Notifications by e-mail, through a mail server: confirmed addresses alone, and headers that nobody else writes. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '../../../../../test/support/installation.ts'
import { tell } from '../../../src/notify/tell-store.ts'
import { callerOf, LOOPBACK_NOTIFY, startTestControl } from '../../support/control.ts'
import { startMailServer } from './support/mail-server.ts'

const refused = new Set<string>()
const server = await startMailServer({}, (address) =>
  refused.has(address) ? Object.assign(new Error('nobody here'), { responseCode: 550 }) : null,
)
const control = await startTestControl({
  notify: { ...LOOPBACK_NOTIFY, mail: { url: server.url, from: 'sallyport@example.com' } },
})
after(async () => {
  await control.close()
  await server.close()
})
const { orgId, keys } = await control.createOrganization('acme')
const call = callerOf(control, keys.admin)
const PATH = '/api/Notifications'

async function addAddress(target: string) {
  const body = { kind: 'email', name: 'a person', target, types: ['site.opened', 'attack.new_class'] }
  const { status, json, text } = await call('POST', `${PATH}/destinations`, body)
  assert.equal(status, 201, text)
  const mail = await eventually(() => server.received.find(({ to }) => to.includes(target)))
  const code = /code is ([A-Z0-9]{4}-[A-Z0-9]{4})/.exec(mail.source)?.[1] ?? ''
  return { id: json.id as string, code, json }
}
const mailsTo = (address: string) => server.received.filter(({ to }) => to.includes(address))
const occasion = (name: string) => ({
  type: 'site.opened' as const,
  subject: name,
  occurredAt: new Date(Date.now() + 1_000).toISOString(),
  data: { site: { id: '1', name } },
})
const tellOf = (name: string) => control.database.write(orgId, (tx) => tell(tx, orgId, occasion(name)))

test('an address is told nothing until its code was shown, and a wrong code is counted', async () => {
  const { id, code, json } = await addAddress('ada@example.com')
  assert.equal(json.state, 'unconfirmed')
  assert.equal(json.secret, null)
  await tellOf('early.gate.example')
  assert.equal((await call('POST', `${PATH}/destinations/${id}/test`)).status, 409)
  const wrong = await call('POST', `${PATH}/destinations/${id}/confirm`, { code: 'AAAA-AAAA' })
  assert.equal(wrong.status, 400)
  assert.equal(wrong.json.errors[0].path, '/code')
  const confirmed = await call('POST', `${PATH}/destinations/${id}/confirm`, {
    code: code.toLowerCase().replace('-', ' '),
  })
  assert.equal(confirmed.json.state, 'enabled', confirmed.text)
  await tellOf('shop.gate.example')
  const mail = await eventually(() => mailsTo('ada@example.com')[1])
  assert.match(mail.source, /^Subject: \[Sallyport\] shop\.gate\.example: A site is open to researchers\r$/m)
  assert.match(mail.source, /^From: Sallyport <sallyport@example\.com>\r$/m)
  assert.match(mail.source, /^Auto-Submitted: auto-generated\r$/m)
  assert.equal(mailsTo('ada@example.com').length, 2)
})

test('no text of others makes a header, or a line of its own', async () => {
  const { id, code } = await addAddress('eve@example.com')
  await call('POST', `${PATH}/destinations/${id}/confirm`, { code })
  await tellOf('x\r\nBcc: victim@example.com\r\n\r\nhttps://evil.example\u2028<script>')
  const mail = await eventually(() => mailsTo('eve@example.com')[1])
  const [head = '', ...body] = mail.source.split('\r\n\r\n')
  assert.ok(!/^Bcc:/m.test(head))
  assert.ok(!/^(?:Bcc|https):/m.test(body.join('\n\n')))
  assert.deepEqual(mail.to, ['eve@example.com'])
  for (const target of [
    'a@example.com\r\nBcc: b@example.com',
    'a@example.com, b@example.com',
    '"<x>" <a@example.com>',
  ])
    assert.equal(
      (await call('POST', `${PATH}/destinations`, { kind: 'email', name: 'x', target, types: [] })).status,
      400,
      target,
    )
})

test('ten wrong codes end it, and a refused recipient is tried again', async () => {
  const { id, code } = await addAddress('bob@example.com')
  for (let count = 0; count < 10; count++)
    assert.equal((await call('POST', `${PATH}/destinations/${id}/confirm`, { code: 'WRONG' })).status, 400)
  assert.equal((await call('POST', `${PATH}/destinations/${id}/confirm`, { code })).status, 409)

  const other = await addAddress('carl@example.com')
  await call('POST', `${PATH}/destinations/${other.id}/confirm`, { code: other.code })
  refused.add('carl@example.com')
  await call('POST', `${PATH}/destinations/${other.id}/test`)
  const delivery = await eventually(async () => {
    const { json } = await call('GET', `${PATH}/deliveries?destination=${other.id}`)
    return json.items.find(({ outcome }: { outcome: string }) => outcome === 'refused')
  })
  assert.deepEqual([delivery.state, delivery.status], ['waiting', 550])
})

test('only so many codes are sent in a day', async () => {
  const { keys: theirs } = await control.createOrganization('spammer')
  const spam = callerOf(control, theirs.owner)
  const statuses: number[] = []
  for (let count = 0; count < 22; count++) {
    const target = `victim${count}@example.com`
    const added = await spam('POST', `${PATH}/destinations`, { kind: 'email', name: 'x', target, types: [] })
    statuses.push(added.status)
    if (added.status === 429) assert.match(added.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    if (added.status === 201) await spam('DELETE', `${PATH}/destinations/${added.json.id}`)
  }
  assert.equal(statuses.filter((status) => status === 201).length, 20)
  assert.ok(statuses.slice(20).every((status) => status === 429))
})
