/** Rules that are on without their table: after a backup was restored in part, and beside a control plane of the version before. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readTable } from '@sallyport/api-definition'
import type { Transaction } from '../../../../src/database/database.ts'
import { startRuleHealing } from '../../../../src/features/sites/definition-rule/heal-rules.ts'
import { createRuleCompiler } from '../../../../src/features/sites/definition-rule/rule-compiler.ts'
import { startTestControl } from '../../../support/control.ts'

const control = await startTestControl()
const ruleCompiler = createRuleCompiler()
after(async () => {
  await ruleCompiler.close()
  await control.close()
})
const { orgId, keys } = await control.createOrganization('shop')
const owner = { key: keys.owner }
const { id } = (
  await control.call('POST', '/api/Sites', {
    ...owner,
    body: { originName: 'rules.example.com', isActive: true },
  })
).json
const definitionOf = (...paths: readonly string[]) => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths: Object.fromEntries(
    paths.map((path) => [path, { get: { responses: { 200: { description: '' } } } }]),
  ),
})

const write = (work: (tx: Transaction) => Promise<unknown>) => control.database.write(orgId, work)
const lists = async (path: string): Promise<boolean> => {
  const [row] = await control.database.read(orgId, (tx) =>
    tx.query<{ compiled: string }>('SELECT compiled FROM site_definition_tables WHERE site_id = $1', [id]),
  )
  const judgement = readTable(row?.compiled ?? '')?.judge(
    { methods: ['GET'], path, readings: [path], query: '', rawHeaders: [] },
    { judgesUndeclared: false },
  )
  return judgement?.violations.length === 0
}
const actionsOf = async (): Promise<string[]> =>
  (await control.call('GET', '/api/AuditLog', owner)).json.items.map(
    (entry: { action: string }) => entry.action,
  )

/** As the version before writes a definition, which its trigger makes the document named main. */
const asVersionBefore = (document: unknown) =>
  write((tx) =>
    tx.query(
      `INSERT INTO site_definitions (org_id, site_id, document) VALUES ($1, $2, $3)
       ON CONFLICT (org_id, site_id) DO UPDATE SET document = excluded.document`,
      [orgId, id, JSON.stringify(document)],
    ),
  )

test('a table that is missing, or of other documents, is compiled again, once, and is in the audit log', async (context) => {
  const faults: unknown[] = []
  const healing = startRuleHealing({
    database: control.database,
    ruleCompiler,
    failed: (error) => faults.push(error),
  })
  context.after(() => healing.close())
  await control.call('PUT', `/api/Sites/${id}/definition`, { ...owner, body: definitionOf('/a') })
  const on = await control.call('PUT', `/api/Sites/${id}/firewall`, {
    ...owner,
    body: { mode: 'observe', definition: { mode: 'enforce' } },
  })
  assert.equal(on.status, 200, on.text)
  await healing.look()
  assert.equal((await actionsOf()).includes('site.compileDefinition'), false)

  await write((tx) => tx.query('DELETE FROM site_definition_tables WHERE site_id = $1', [id]))
  assert.equal(await lists('/a'), false)
  await healing.look()
  assert.equal(await lists('/a'), true)
  assert.equal((await actionsOf())[0], 'site.compileDefinition')

  await asVersionBefore(definitionOf('/b'))
  await healing.look()
  await healing.look()
  assert.deepEqual([await lists('/a'), await lists('/b')], [false, true])
  assert.equal((await actionsOf()).filter((action) => action === 'site.compileDefinition').length, 2)
  assert.deepEqual(faults, [])

  await asVersionBefore(definitionOf())
  await healing.look()
  await healing.look()
  assert.equal(await lists('/b'), true, 'what was in force stays')
  assert.equal(faults.length, 1, 'and is told of once')
})

test('organizations take turns, and who waits for nothing has a turn', async () => {
  const [document] = await control.database.read(orgId, (tx) =>
    tx.query<{ content: Buffer; packing: 'none' | 'gzip' }>(
      'SELECT content, packing FROM site_document_versions WHERE site_id = $1 ORDER BY number LIMIT 1',
      [id],
    ),
  )
  assert.ok(document)
  const order: string[] = []
  const compile = async (sender: string): Promise<void> => {
    await ruleCompiler.compile(sender, [document])
    order.push(sender)
  }
  await Promise.all(['many', 'many', 'many', 'few'].map(compile))
  assert.deepEqual(order, ['many', 'many', 'few', 'many'])
  const many = Array.from({ length: 12 }, () => ruleCompiler.compile('many', [document]))
  const refused = (await Promise.allSettled(many)).filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 3)
})
