/** Each statement for a cluster is one that ClickHouse's own parser takes. That they do what they say is shown for one node alone. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Session } from 'chdb'
import { clusterStatements } from '../../../src/traffic-store/cluster/cluster-statements.ts'
import { readMigrations } from '../../../src/traffic-store/migrate.ts'

const PLACE = { cluster: 'fleet', database: 'default' }
const LIST =
  'CREATE TABLE IF NOT EXISTS migrations (number UInt16, name String, applied DateTime DEFAULT now()) ENGINE = MergeTree ORDER BY number'
const ALL = [LIST, ...readMigrations().flatMap(({ statements }) => statements)].map((statement) =>
  statement.replaceAll('{day}', '20260131'),
)
const folder = mkdtempSync(join(tmpdir(), 'sallyport-cluster-'))
let session: Session

before(() => {
  session = new Session(join(folder, 'data'))
})
after(() => {
  session.close()
  rmSync(folder, { recursive: true })
})

const run = async (sql: string): Promise<string> =>
  Buffer.from((await session.queryAsync(sql, { format: 'TabSeparatedRaw' })).bytes()).toString('utf8')
/** As ClickHouse writes it once it has parsed it; throws what its parser says. */
const parsed = (sql: string): Promise<string> =>
  run(`SELECT formatQuery(unhex('${Buffer.from(sql).toString('hex')}'))`)

test('every migration has a form for a cluster, which the parser takes', async () => {
  for (const statement of ALL)
    for (const form of clusterStatements(statement, PLACE)) {
      const text = await parsed(form)
      const isRows = form.startsWith('INSERT')
      assert.equal(text.includes('ON CLUSTER fleet'), !isRows, text)
      if (text.startsWith('CREATE TABLE'))
        assert.match(
          text,
          /ENGINE = (?:Replicated\w*MergeTree\('[^']*\{shard\}[^']*', '\{replica\}'|Distributed\('fleet')/,
        )
    }
})

test('so has everything else that changes tables', async () => {
  const others = [
    'TRUNCATE TABLE requests',
    "ALTER TABLE requests_local UPDATE retention_days = 7 WHERE org_id = 'a' SETTINGS mutations_sync = 0",
    "ALTER TABLE urls_days DELETE WHERE org_id IN ['a'] SETTINGS mutations_sync = 0",
    'DROP VIEW IF EXISTS traffic_minutes_view',
  ]
  for (const other of others) {
    const forms = clusterStatements(other, PLACE)
    assert.equal(forms.length, 1)
    for (const form of forms) assert.match(await parsed(form), /ON CLUSTER fleet/)
  }
  assert.match(
    clusterStatements(others[1] ?? '', PLACE)[0] ?? '',
    /^ALTER TABLE `default`\.requests_local ON/,
  )
  assert.throws(() => clusterStatements('OPTIMIZE TABLE requests', PLACE), /no form for a cluster/)
})

test('names from the settings are quoted', async () => {
  const place = { cluster: "a`b'c\\d", database: "x`y'z\\" }
  for (const form of clusterStatements(ALL[1] ?? '', place)) assert.match(await parsed(form), /ON CLUSTER/)
})

test('views feed local tables from local ones', () => {
  const views = ALL.filter((statement) => statement.startsWith('CREATE MATERIALIZED VIEW'))
  assert.ok(views.length > 0)
  for (const statement of views) {
    const [form = ''] = clusterStatements(statement, PLACE)
    assert.match(form, / TO `default`\.\w+_local AS\n/)
    assert.doesNotMatch(form, /\bFROM (?!`default`\.\w+_local AS \w\b)/)
  }
})
