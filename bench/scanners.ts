/**
 * How sure the gate is of people and of scanners: `node bench/scanners.ts [--seconds 75] [--only WORDS]`. People browse in Chromium,
 * applications ask by themselves, scripts behave as scanners do and scanners themselves run, under the user agent of a browser, all at once,
 * each as a researcher of their own, through a gate over TLS. Prints what the records say of each. Half of the samples were kept out when
 * the weights were set.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SCANNER_PERCENT_MIN, type TrafficEvent } from '@sallyport/contract'
import { makeCertificate } from '../packages/gateway/test/support/certificates.ts'
import {
  hashOf,
  researcher,
  site,
  startTestDataPlane,
} from '../packages/gateway/test/support/test-data-plane.ts'
import { startBrowser } from '../test/browser/support/chromium.ts'
import { trustSwitch } from './recordings/session.ts'
import { Random } from './support/api-learning/random.ts'
import { PEOPLE } from './support/scanners/people.ts'
import { SCANNERS } from './support/scanners/programs.ts'
import type { Answered, Sample, Seat, SiteName } from './support/scanners/sample.ts'
import { startSites } from './support/scanners/sites.ts'
import { TOOL_SAMPLES } from './support/scanners/tools.ts'
import { median } from './support/statistics.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '75' }, only: { type: 'string', default: '' } },
})
const folder = mkdtempSync(join(tmpdir(), 'sallyport-scanners-'))
makeCertificate(folder, 'gate', '*.gate.localhost')
const certificate = readFileSync(join(folder, 'gate.crt'))
const endings: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
const sites = await startSites(folder)
endings.push(sites.close)
const gate = await startTestDataPlane(
  { after: (end?: unknown) => void endings.push(end as () => unknown) },
  1,
  {
    settings: { tls: { directory: folder, port: 0 } },
  },
)
const port = gate.dataPlane.https?.port ?? 0
const hostOf = (name: SiteName): string => `${name}.gate.localhost`
for (const [name, originPort] of sites.ports)
  gate.snapshots.putSite({
    ...site(originPort, { gatedName: hostOf(name) }),
    ...{ id: name, firewall: { mode: 'observe', level: 'balanced', overrides: [], exclusions: [] } },
  })

/** As those of people, with the version that it has. */
const [version = '138'] = /\d+/.exec(String(execFileSync('chromium', ['--version']))) ?? []
const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`
const browser = await startBrowser({ switches: [`--user-agent=${userAgent}`, trustSwitch(certificate)] })
endings.push(browser.close)

const idOf = (sample: Sample): string => `sample-${samples.indexOf(sample)}`
const samples = [...PEOPLE, ...SCANNERS, ...TOOL_SAMPLES].filter(
  ({ name, needs }) => name.includes(values.only) && (needs === undefined || sites.ports.has(needs)),
)
const until = performance.now() + 1_000 * Number(values.seconds)
try {
  await Promise.all(samples.map((sample, index) => runSample(sample, index)))
  report()
} finally {
  for (const end of endings.reverse()) await end()
}

async function runSample(sample: Sample, index: number): Promise<void> {
  const key = `rk_live_sample${index}`
  gate.snapshots.putResearcher(
    researcher({ id: idOf(sample), email: `${index}@example.org`, keyHashes: [hashOf(key)] }),
  )
  const agent = new Agent({ keepAlive: true, ca: certificate })
  await sample
    .run({
      ...{ key, userAgent, until, random: new Random(index + 1) },
      hostOf,
      plainUrl: `http://127.0.0.1:${gate.port}`,
      siteUrl: (name) => `https://${hostOf(name)}:${port}`,
      openPage: async () => {
        const page = await browser.context.newPage()
        await page.setExtraHTTPHeaders({ 'Sallyport-Key': key })
        return page
      },
      send: (name, target, headers, { method = 'GET', body } = {}) =>
        new Promise<Answered>((resolve, reject) => {
          const host = hostOf(name)
          const sent = request({
            ...{ host: '127.0.0.1', servername: host, port, method, path: target, agent, setHost: false },
            headers: ['Host', `${host}:${port}`, 'Sallyport-Key', key, ...headers],
          })
          sent.on('response', (answer) => {
            let text = ''
            answer.setEncoding('utf8').on('data', (chunk) => (text += chunk))
            answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }))
          })
          sent.on('error', reject).end(body)
        }),
    } satisfies Seat)
    .catch((error: unknown) => console.error(`${sample.name}: ${error}`))
  agent.destroy()
}

function report(): void {
  for (const isHeldOut of [false, true])
    for (const isScanner of [false, true]) {
      console.log(
        `\n${isScanner ? 'scanners' : 'people'}, ${isHeldOut ? 'kept out' : 'looked at when the weights were set'}`,
      )
      console.log(
        '| sample | requests | median | highest | 80 and more | from request | because of |\n| --- | --- | --- | --- | --- | --- | --- |',
      )
      for (const sample of samples)
        if (sample.isHeldOut === isHeldOut && sample.isScanner === isScanner) console.log(lineOf(sample))
    }
}

function lineOf(sample: Sample): string {
  const events: TrafficEvent[] = gate.recorder.events.filter(
    ({ researcherId }) => researcherId === idOf(sample),
  )
  const percents = events.map(({ scannerPercent }) => scannerPercent)
  const counted = percents.filter((percent) => percent >= SCANNER_PERCENT_MIN).length
  const first = percents.findIndex((percent) => percent >= SCANNER_PERCENT_MIN)
  const highest = percents.reduce((one, other) => Math.max(one, other), 0)
  const reason = events.find(({ scannerPercent }) => scannerPercent === highest)?.scannerReason ?? ''
  const share = Math.round((100 * counted) / Math.max(events.length, 1))
  return `| ${sample.name} | ${events.length} | ${Math.round(median(percents))} | ${highest} | ${share} % | ${first === -1 ? '–' : first + 1} | ${reason || '–'} |`
}
