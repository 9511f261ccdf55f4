/** Prometheus: its pages, and its API asked as dashboards ask it, with expressions of PromQL. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { freePorts } from '../../../../test/support/loopback.ts'
import type { RecordedApplication, RecordingSession } from '../../session.ts'

/** The application, recorded in a browser. */
export const prometheus: RecordedApplication = {
  debian: ['prometheus'],
  name: 'prometheus',
  what: 'metrics and dashboards',
  record,
}

const METRICS = [
  'http_requests_total',
  'process_cpu_seconds_total',
  'node_memory_MemAvailable_bytes',
  'up',
  'go_goroutines',
]
const LABELS = ['job', 'instance', 'handler', 'code', 'namespace']

async function record(session: RecordingSession): Promise<void> {
  const { author, folder } = session
  const [port = 0] = await freePorts(1)
  const configuration = join(folder, 'prometheus.yml')
  const target = `127.0.0.1:${port}`
  writeFileSync(
    configuration,
    `scrape_configs: [{job_name: own, scrape_interval: 5s, static_configs: [{targets: ["${target}"]}]}]\n`,
  )
  const args = [
    `--config.file=${configuration}`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=${target}`,
  ]
  await session.start('prometheus', args, { cwd: folder, port })
  const url = session.route('metrics', { port })
  const page = await session.openPage()
  await session.repeat(async () => {
    const expressions = Array.from({ length: 8 }, () => expression(session))
    await page.goto(
      `${url}/graph?g0.expr=${encodeURIComponent(expressions[0] ?? '')}&g0.tab=0&g0.range_input=1h`,
    )
    await page.goto(
      `${url}/${author.pick(['targets', 'rules', 'alerts', 'status', 'flags', 'tsdb-status'])}?search=`,
    )
    await session.carryingCode(() => drawDashboard(page, expressions, author.integer(86_400)))
  })
}

/** What somebody types into a dashboard. */
function expression({ author }: RecordingSession): string {
  const metric = author.pick(METRICS)
  const label = author.pick(LABELS)
  const value = author.slug()
  return author.pick([
    `sum by (${label}) (rate(${metric}{${label}=~"${value}|api.*", code!~"2.."}[5m])) > 0`,
    `histogram_quantile(0.99, sum(rate(${metric}_bucket{${label}="${value}"}[10m])) by (le, ${label}))`,
    `100 - (avg(irate(${metric}{mode="idle"}[5m])) * 100)`,
    `topk(5, ${metric}) or vector(0)`,
    `label_replace(${metric}, "host", "$1", "instance", "([^:]+):\\\\d+") and on(${label}) ${author.pick(METRICS)}`,
    `absent(${metric}{${label}="${author.short().replace(/["\\]/g, '')}"}) unless ${metric} offset 1d`,
  ])
}

/** The requests of one look at a dashboard, by GET and by POST as Grafana's are. */
const drawDashboard = (page: Page, expressions: readonly string[], shift: number): Promise<void> =>
  page.evaluate(
    async ([expressions, shift]) => {
      const end = 1_790_000_000 + shift
      for (const [index, query] of expressions.entries()) {
        const asked = new URLSearchParams({ query, start: String(end - 3_600), end: String(end), step: '15' })
        if (index % 2 === 0) await fetch(`/api/v1/query_range?${asked}`)
        else await fetch('/api/v1/query_range', { method: 'POST', body: asked })
        await fetch(`/api/v1/query?${new URLSearchParams({ query, time: `${end}.341` })}`)
      }
      const matched = new URLSearchParams([
        ...expressions.slice(0, 2).map((each) => ['match[]', each]),
        ['start', String(end)],
      ])
      await fetch(`/api/v1/series?${matched}`)
      await fetch(`/api/v1/labels?${matched}`)
      await fetch('/api/v1/label/__name__/values')
    },
    [expressions, shift] as const,
  )
