/** A control plane with the traffic of a site, and the packs that are made of it. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { Readable } from 'node:stream'
import type { PackVerification } from '@sallyport/evidence-pack'
import { extract } from 'tar-stream'
import { verifyPack } from '../../../src/index.ts'
import { postBatch, startTestControl } from '../../support/control.ts'
import { event, hit } from '../../support/traffic.ts'

/** Two organizations; the first has a site with three requests, and another site with one. */
export async function startWithTraffic() {
  const control = await startTestControl()
  const mine = await control.createOrganization('mine')
  const other = await control.createOrganization('other')
  const admin = { key: mine.keys.admin }
  const make = async (path: string, body: object): Promise<string> =>
    (await control.call('POST', path, { ...admin, body })).json.id
  const siteId = await make('/api/Sites', { originName: 'https://shop.example.com' })
  const elsewhere = await make('/api/Sites', { originName: 'https://hidden.example' })
  await control.call('PATCH', `/api/Sites/${siteId}`, { ...admin, body: { instructions: 'Be kind.' } })
  const researcherId = await make('/api/Hackers', { email: 'ada@example.com', name: 'Ada' })
  await make('/api/Hackers', { email: 'gone@example.com', name: 'Gone', expires: '2020-01-01T00:00:00Z' })
  const recorded = (given: object) =>
    event({
      ...{ id: randomUUIDv7(), orgId: mine.orgId, siteId, researcherId, time: Date.now() - 10 },
      ...given,
    })
  await postBatch(control, [
    recorded({ hits: [hit()], target: '/?q=\u001b[31m<script>' }),
    recorded({ outcome: 'block', rule: 'rule-1' }),
    recorded({}),
    recorded({ siteId: elsewhere, path: '/not-of-this-site' }),
  ])
  const key = await fetch(`${control.url}/.well-known/sallyport/evidence-key`)
  const { fingerprint } = (await key.json()) as { fingerprint: string }

  /** The pack of a site, with what the query asks for. */
  async function download(site: string, query = ''): Promise<Buffer> {
    const answer = await fetch(`${control.url}/api/Evidence/${site}${query}`, {
      headers: { authorization: `Bearer ${mine.keys.admin}` },
    })
    assert.equal(answer.status, 200)
    return Buffer.from(await answer.arrayBuffer())
  }
  const check = (bytes: Uint8Array, expected = fingerprint): Promise<PackVerification> =>
    verifyPack(Readable.from([Buffer.from(bytes)]), expected)
  return { control, mine, other, admin, siteId, fingerprint, download, check }
}

/** What is in a pack, by name. */
export async function filesOf(bytes: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for await (const entry of Readable.from([bytes]).pipe(extract())) {
    const chunks: Buffer[] = []
    for await (const chunk of entry) chunks.push(chunk as Buffer)
    files.set(entry.header.name, Buffer.concat(chunks).toString('utf8'))
  }
  return files
}
