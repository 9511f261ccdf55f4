/** The vendors' own libraries for servers, each set up as its manual says. Bundled by esbuild; one run is one process of a shop. */
import dns from 'node:dns'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { Analytics } from '@segment/analytics-node'
import MatomoTracker from 'matomo-tracker'
import { PostHog } from 'posthog-node'

// Names of the recording are the recorder's.
const { lookup } = dns
dns.lookup = (name, options, callback) =>
  lookup(name.endsWith('.example.org') ? '127.0.0.1' : name, options, callback)

const resource = resourceFromAttributes({ 'service.name': 'shop', 'service.version': '2.4.1' })

const attributesOf = (content) => ({
  'http.request.method': 'POST',
  'url.full': `https://shop.example.org/search?q=${encodeURIComponent(content.queries[0])}&sort=-date`,
  'db.system.name': 'postgresql',
  'db.query.text': 'SELECT id, name FROM products WHERE name ILIKE $1 ORDER BY price LIMIT 20',
  'enduser.name': content.person,
  'user_agent.original': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15',
  note: content.paragraphs[0],
})

async function trace(exporter, content) {
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer('shop')
  for (const title of content.titles) {
    const span = tracer.startSpan(title, { attributes: attributesOf(content) })
    span.addEvent('note', { text: content.paragraphs[1] })
    span.recordException(new Error(`Cannot save "${title}" for ${content.person}`))
    span.end()
  }
  await provider.forceFlush()
  await provider.shutdown()
}

const CLIENTS = {
  'opentelemetry-json': (url, content) => trace(new JsonTraceExporter({ url: `${url}/v1/traces` }), content),
  'opentelemetry-protobuf': async (url, content) => {
    await trace(new ProtoTraceExporter({ url: `${url}/v1/traces` }), content)
    const reader = new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter({ url: `${url}/v1/metrics` }),
    })
    const meters = new MeterProvider({ resource, readers: [reader] })
    meters
      .getMeter('shop')
      .createCounter('orders')
      .add(3, { customer: content.person, status: content.titles[0] })
    await meters.forceFlush()
    await meters.shutdown()
  },
  'opentelemetry-logs': async (url, content) => {
    const exporter = new OTLPLogExporter({ url: `${url}/v1/logs` })
    const provider = new LoggerProvider({
      resource,
      processors: [new SimpleLogRecordProcessor({ exporter })],
    })
    for (const body of content.logs)
      provider.getLogger('shop').emit({ severityText: 'WARN', body, attributes: attributesOf(content) })
    await provider.forceFlush()
    await provider.shutdown()
  },
  segment: async (url, content) => {
    const analytics = new Analytics({ writeKey: content.key, host: url, flushAt: 2 })
    analytics.identify({
      userId: content.userId,
      traits: { name: content.person, email: content.email, bio: content.paragraphs[0] },
    })
    for (const query of content.queries)
      analytics.track({
        userId: content.userId,
        event: 'Products Searched',
        properties: { query, note: content.paragraphs[1] },
      })
    await analytics.closeAndFlush()
  },
  'posthog-node': async (url, content) => {
    const client = new PostHog(`phc_${content.key}`, { host: url, flushAt: 2 })
    for (const query of content.queries)
      client.capture({
        distinctId: content.userId,
        event: 'search',
        properties: { query, $set: { name: content.person } },
      })
    client.captureException(new Error(content.paragraphs[2]), content.userId)
    await client.shutdown()
  },
  matomo: async (url, content) => {
    const tracker = new MatomoTracker(1, `${url}/matomo.php`, true)
    tracker.on('error', () => undefined)
    for (const [index, query] of content.queries.entries())
      tracker.track({
        url: `https://shop.example.org/search?q=${encodeURIComponent(query)}`,
        action_name: content.titles[index % content.titles.length],
        ua: 'Mozilla/5.0',
        e_c: 'shop',
        e_a: 'search',
        e_n: content.person,
        search: query,
        urlref: 'https://www.example.net/?a=1&b=2',
      })
    await new Promise((resolve) => setTimeout(resolve, 300))
  },
}

const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const { name, url, contents } = JSON.parse(Buffer.concat(chunks).toString())
for (const content of contents)
  await CLIENTS[name](url, content).catch((error) => console.error(error.message))
process.exit(0)
