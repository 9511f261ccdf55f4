/** The firewall of a whole installation: enforced by the API, extended by an imported rule set, read in the request log. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { bareEnvironment } from '../support/environment.ts'
import { eventually, startInstallation } from '../support/installation.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { createSite, untilDeployed } from '../support/site.ts'

const MAIN = resolve(import.meta.dirname, '../../packages/sallyport/src/main.ts')
const HOST = 'firewall.gate.localhost'

const seen: string[] = []
const origin = await listenOnLoopback(
  createServer((incoming, response) => {
    seen.push(incoming.url ?? '')
    response.end('hello')
  }),
)
const installation = await startInstallation()
const directory = mkdtempSync(join(tmpdir(), 'sallyport-crs-'))
after(async () => {
  await installation.remove()
  await origin.close()
  rmSync(directory, { recursive: true })
})

const sallyport = async (...args: string[]): Promise<string> => {
  const environment = { ...bareEnvironment, SALLYPORT_DATA_DIR: installation.dataDir }
  return (await promisify(execFile)(process.execPath, [MAIN, ...args], { env: environment })).stdout
}

test('enforced by the API, extended by an import, and undone', async () => {
  const site = await createSite(installation, HOST, origin.url)
  const set = await installation.api('PUT', `/api/Sites/${site.id}/firewall`, { mode: 'enforce' })
  assert.equal(set.status, 200)
  await untilDeployed(installation, site.id)
  const refused = await installation.gate(HOST, '/items?id=1%27%20union%20select%20password%20from%20users--')
  assert.equal(refused.status, 403)
  assert.match(refused.body, /"rule":"[\w-]+"/)
  assert.equal((await installation.gate(HOST, '/items?word=quibble')).status, 200)
  assert.deepEqual(seen, ['/items?word=quibble'])

  mkdirSync(join(directory, 'rules'))
  writeFileSync(
    join(directory, 'rules', 'REQUEST-900-HOUSE.conf'),
    `SecRule ARGS "@rx ^quibble$" "id:900001,phase:2,block,msg:'A word',tag:'attack-sqli',severity:'CRITICAL'"\n`,
  )
  const imported = JSON.parse(await sallyport('firewall', 'import', directory, '--json'))
  assert.deepEqual(imported, { name: 'owasp-crs', taken: 1, refused: 0, other: 0, installed: true })
  const answer = await eventually(async () => {
    const latest = await installation.gate(HOST, '/items?word=quibble')
    return latest.status === 403 && latest
  })
  assert.match(answer.body, /owasp-crs-900001/)
  const [listed] = JSON.parse(await sallyport('firewall', 'list', '--json'))
  assert.equal(listed.name, 'owasp-crs')

  await sallyport('firewall', 'remove', 'owasp-crs')
  await eventually(async () => (await installation.gate(HOST, '/items?word=quibble')).status === 200)

  const log = JSON.parse(await sallyport('audit', 'installation', '--json'))
  const source = `${directory}, paranoia level 1`
  assert.deepEqual(
    log.map(({ action, after }: Record<string, unknown>) => [action, after]),
    [
      ['ruleSet.import', { source, rules: 1, sha256: listed.sha256 }],
      ['ruleSet.remove', null],
    ],
  )
  assert.match(log[0].by, /^.+@.+$/)
  const { isIntact, entries } = JSON.parse(
    await sallyport('audit', 'verify', '--org', 'installation', '--json'),
  )
  assert.deepEqual({ isIntact, entries }, { isIntact: true, entries: 2 })
})
