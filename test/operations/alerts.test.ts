/** What is shipped for Prometheus and Grafana, read by Prometheus' own tool and held against what both planes print. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { without } from '../real-servers/support/programs.ts'
import { startInstallation } from '../support/installation.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const RULES = join(ROOT, 'deploy/prometheus')
const skip = without('promtool')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook', string>>
}

interface Panel {
  readonly type: string
  readonly datasource?: { readonly uid: string }
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[]
}

const { groups }: { groups: readonly { readonly rules: readonly Rule[] }[] } = parse(
  readFileSync(join(RULES, 'alerts.yml'), 'utf8'),
)
const rules = groups.flatMap((group) => group.rules)
const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(
  readFileSync(join(ROOT, 'deploy/grafana/sallyport.json'), 'utf8'),
)
const panels = dashboard.panels.filter(({ type }) => type !== 'row')
const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')
/** As Grafana asks it. */
const dashboardExpressions = panels.flatMap(({ targets = [] }) =>
  targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')),
)

function promtool(...words: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', words, { cwd: RULES, encoding: 'utf8' })
  assert.equal(status, 0, `${stdout}${stderr}`)
}

test('promtool takes the rules and the example of a configuration', { skip }, () => {
  promtool('check', 'rules', 'alerts.yml')
  promtool('check', 'config', 'prometheus.yml')
})

test('alerts fire when they should, and not otherwise', { skip }, () =>
  promtool('test', 'rules', 'alerts.test.yml'),
)

test('promtool reads every expression of the dashboard', { skip }, (context) => {
  const folder = temporaryFolder(context)
  const file = join(folder, 'rules.json')
  // A rule file may be JSON, which is YAML.
  const recorded = dashboardExpressions.map((expr, index) => ({ record: `panel:${index}`, expr }))
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }))
  promtool('check', 'rules', file)
})

test('each alert says how severe it is, what it means, and where to begin', () => {
  const section = page.slice(page.indexOf('\n### Alerts\n'), page.indexOf('\n## Crashes\n'))
  const documented = Array.from(section.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name)
  assert.deepEqual(
    rules.map(({ alert }) => alert),
    documented,
  )
  for (const rule of rules) {
    assert.ok(['warning', 'critical'].includes(rule.labels.severity), rule.alert)
    assert.match(rule.for, /^\d+[mh]$/)
    assert.equal(rule.annotations.runbook, 'docs/operations.md#alerts')
    assert.ok(rule.annotations.summary && rule.annotations.description, rule.alert)
  }
})

test('each panel asks the data source that is chosen', () => {
  assert.ok(panels.length > 20)
  for (const { datasource, targets = [] } of panels)
    for (const asked of [datasource, ...targets.map((target) => target.datasource)])
      assert.equal(asked?.uid, `\${datasource}`)
})

test('each metric that alerts and dashboard name is one that a gateway or a control plane prints', async (context) => {
  const installation = await startInstallation()
  context.after(() => installation.remove())
  const texts = await Promise.all(
    [installation.controlAdminUrl, installation.gatewayAdminUrl].map(async (url) =>
      (await fetch(`${url}/metrics`)).text(),
    ),
  )
  const printed = new Set(['up'])
  for (const [, name = '', type] of texts.join('\n').matchAll(/^# TYPE (\S+) (\S+)$/gm))
    for (const end of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) printed.add(name + end)
  const named = [...rules.map(({ expr }) => expr), ...dashboardExpressions].flatMap((expr) =>
    Array.from(expr.matchAll(/\b(?:sallyport|process|nodejs)_\w+|\bup\b/g), ([name]) => name),
  )
  assert.ok(new Set(named).size > 40)
  assert.deepEqual(
    [...new Set(named)].filter((name) => !printed.has(name)),
    [],
  )
})
