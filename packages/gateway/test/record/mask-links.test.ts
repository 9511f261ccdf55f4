import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRawOrigin } from '../support/raw-origin.ts'
import { GATE_HOST, HOST, KEY, sendRaw, site, startTestDataPlane } from '../support/test-data-plane.ts'

test('no record shows the token of an invitation or the code of a sign-in, wherever and whenever it is opened', async (context) => {
  const origin = await startRawOrigin(context)
  const { port, recorder, snapshots } = await startTestDataPlane(context, origin.port)
  const token = 'Zq3-x_9Kd0Zq3-x_9Kd0Zq3-x_9Kd0Zq'
  const open = (target: string, ...more: string[]) =>
    sendRaw(port, [`GET ${target} HTTP/1.1`, ...more, '', ''].join('\r\n'), 30)
  const here = `Host: ${HOST}`
  const link = `/.sallyport/invite?token=${token}`
  await open(link, 'Host: unknown.example')
  await open(`/.sallyport/invite/?token=${token}`, here)
  await open(`//.Sallyport/invite?Token=${token}`, here)
  await open(`/.sallyport%2Finvite%3Ftoken%3D${token}`, here)
  await open(`/.sallyport/invite?${token}`, here)
  await open(`/.sallyport/invite?token=%5a${token.slice(1)}`, here)
  await open(`http://${HOST}${link}`, here)
  await open(`${link} x`, here)
  await open(link, here, here)
  await open(link, 'Host: a b')
  await open(`/%252esallyport/invite?token=${token}`, here)
  await open(`/login?next=https://${HOST}${link}`, here, `Sallyport-Key: ${KEY}`)
  const invitation = `https://sallyport.gate.localhost/invitation#token=${token}`
  for (const target of [
    `/login?next=${invitation.replace('#', '%23')}`,
    `/login?next=${encodeURIComponent(invitation)}`,
    `/login?next=${encodeURIComponent(encodeURIComponent(invitation))}`,
    `/Invitation/?from=mail&token=${token}`,
  ])
    await open(target, here, `Sallyport-Key: ${KEY}`)
  snapshots.putSite(site(origin.port, { enabled: false }))
  await open(link, here)
  const code = `/.sallyport/enter?code=${token}.1.${token}.${token}`
  await open(code, here)
  await open(code, 'Host: unknown.example')
  await open(`/.sallyport%2Fenter%3Fcode%3D${token}.${token}`, here)
  await open(`${code} x`, here)
  const gate = `Host: ${GATE_HOST}`
  for (const target of [
    `/invitation?token=${token}`,
    `/invitation%23token=${token}`,
    `/api/${token}?a=${token}`,
  ])
    for (const line of [gate, `${gate}\r\nContent-Length: x`]) await open(target, line)
  const events = await recorder.waitFor(27)
  assert.equal(events.length, 27)
  for (const event of events) {
    assert.match(
      event.target,
      /(?:invit|enter).*(?:token|code)(?:=|%(?:25)?3D)\*\*\*$|^\/invitation(?:%23token=\*\*\*)?$|^\/api\/\*\*\*$/i,
    )
    assert.ok(!JSON.stringify(event).includes(token.slice(1)), event.target)
  }
})

test('what is sent to a path like that of invitations stays in the record', async (context) => {
  const origin = await startRawOrigin(context)
  const { recorder, send } = await startTestDataPlane(context, origin.port)
  const target = '/search?q=.sallyport/invite&token=%27%20OR%201=1--&x=/../../etc/passwd'
  await send(`GET ${target}`)
  const [event] = await recorder.waitFor(1)
  assert.equal(event?.target, target)
})
