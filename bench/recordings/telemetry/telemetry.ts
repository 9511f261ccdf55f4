/** Telemetry: the vendors' libraries in a browser and on a server, pointed at the recorder, which answers as a collector. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { listenOnLoopback } from '../../../test/support/loopback.ts'
import type { RecordedApplication, RecordingSession } from '../session.ts'
import { createVisit, shopPage, type VisitContent } from './visits.ts'

const PACKAGES: Readonly<Record<string, string>> = {
  '@airbrake/browser': '2.1.9',
  '@bugsnag/js': '9.0.0',
  '@datadog/browser-logs': '7.16.2',
  '@datadog/browser-rum': '7.16.2',
  '@elastic/apm-rum': '5.17.5',
  '@grafana/faro-web-sdk': '2.12.1',
  '@honeybadger-io/js': '6.16.5',
  '@logtail/browser': '0.5.9',
  '@microsoft/applicationinsights-web': '3.4.4',
  '@opentelemetry/exporter-logs-otlp-http': '0.223.1',
  '@opentelemetry/exporter-metrics-otlp-proto': '0.223.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.223.1',
  '@opentelemetry/exporter-trace-otlp-proto': '0.223.1',
  '@opentelemetry/resources': '2.12.1',
  '@opentelemetry/sdk-logs': '0.223.1',
  '@opentelemetry/sdk-metrics': '2.12.1',
  '@opentelemetry/sdk-trace-base': '2.12.1',
  '@segment/analytics-node': '3.1.0',
  '@sentry/browser': '11.12.0',
  '@snowplow/browser-tracker': '4.10.1',
  esbuild: '0.28.2',
  'launchdarkly-js-client-sdk': '3.9.5',
  'matomo-tracker': '2.2.4',
  'mixpanel-browser': '2.83.0',
  'plausible-tracker': '0.3.9',
  'posthog-js': '1.449.2',
  'posthog-node': '5.70.0',
  rollbar: '3.1.0',
  'unleash-proxy-client': '3.8.2',
  'web-vitals': '6.2.3',
}

const IN_BROWSERS = [
  ...[
    'airbrake',
    'application-insights',
    'bugsnag',

    'datadog-logs',
    'datadog-rum',
    'elastic-apm',
    'faro',
  ],
  ...[
    'honeybadger',
    'launchdarkly',
    'logtail',
    'mixpanel',
    'plausible',
    'posthog',
    'rollbar',
    'sentry',
    'snowplow',
  ],
  ...['unleash', 'web-vitals'],
]
const ON_SERVERS = [
  'matomo',
  'opentelemetry-json',
  'opentelemetry-logs',
  'opentelemetry-protobuf',
  'posthog-node',
  'segment',
]

/** Requests of each, as a share of what an application is recorded for: there are many. */
const SHARE = 0.2
const VISITS_OF_A_PROCESS = 20

/** One for each library. */
export const TELEMETRY: readonly RecordedApplication[] = [
  ...IN_BROWSERS.map((name) => telemetry(name, 'in a browser', recordInBrowser)),
  ...ON_SERVERS.map((name) => telemetry(name, 'on a server', recordOnServer)),
]

function telemetry(
  name: string,
  where: string,
  act: (session: RecordingSession, name: string) => Promise<void>,
): RecordedApplication {
  return {
    name: `telemetry-${name}`,
    what: `telemetry ${where}`,
    group: 'telemetry',
    share: SHARE,
    npm: PACKAGES,
    record: (session) => act(session, name),
  }
}

function bundle(session: RecordingSession, file: string, platform: 'browser' | 'node'): string {
  const outfile = join(session.folder, `${file}.mjs`)
  const format = platform === 'browser' ? 'iife' : 'esm'
  const banner = `--banner:js=import{createRequire as _r}from'module';const require=_r(import.meta.url);`
  execFileSync(
    join(session.installed, 'node_modules/.bin/esbuild'),
    [
      ...[join(import.meta.dirname, `${file}.js`), '--bundle', '--log-level=error', `--outfile=${outfile}`],
      ...[`--platform=${platform}`, `--format=${format}`, ...(platform === 'node' ? [banner] : [])],
    ],
    { env: { ...process.env, NODE_PATH: join(session.installed, 'node_modules') }, stdio: 'inherit' },
  )
  return outfile
}

async function recordInBrowser(session: RecordingSession, name: string): Promise<void> {
  const script = readFileSync(bundle(session, 'browser-clients', 'browser'))
  let visit: VisitContent = createVisit(session.author)
  const shop = createServer((request, response) => {
    const isScript = request.url === '/clients.js'
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html; charset=utf-8' })
    response.end(isScript ? script : shopPage(visit))
  })
  const { port, close } = await listenOnLoopback(shop)
  const shopUrl = session.route('shop', { application: undefined, port })
  const url = session.route(name, {})
  const page = await session.openPage()
  await session.repeat(async () => {
    visit = createVisit(session.author)
    const query = new URLSearchParams({ q: session.author.short(), utm_source: 'newsletter', page: '2' })
    await page.goto(`${shopUrl}/${encodeURIComponent(session.author.title())}?${query}`)
    await page.evaluate(([name, url, content]) => Reflect.get(window, 'startClient')(name, url, content), [
      name,
      url,
      visit,
    ] as const)
    await page.locator('[name=q]').fill(session.author.short())
    await page.locator('#buy').click()
    await delay(1_200)
  })
  await page.goto('about:blank')
  await close()
}

async function recordOnServer(session: RecordingSession, name: string): Promise<void> {
  const script = bundle(session, 'node-clients', 'node')
  session.route(name, {})
  await session.repeat(async () => {
    const contents = Array.from({ length: VISITS_OF_A_PROCESS }, () => createVisit(session.author))
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'ignore', 'inherit'] })
    child.stdin.end(
      JSON.stringify({ name, url: `http://${name}.example.org:${new URL(session.proxyUrl).port}`, contents }),
    )
    await once(child, 'exit')
  })
}
