/**
 * How soon a request is visible: the whole installation under 2,000 requests a second for a minute, and beside them a
 * probe every half second, with a path of its own and an attack in its query. Each of the four operations is asked again
 * and again until the probe is in its answer, and the live tail is awaited; the time is from sending the probe. A second
 * follower reads the whole tail, unfiltered.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { startInstallation } from '../test/support/installation.ts'
import { createSite } from '../test/support/site.ts'
import { followTail } from '../test/support/tail-follower.ts'
import { runPacedLoad } from './support/paced-load.ts'
import { startOrigin } from './support/plain-proxy.ts'
import { requirePrograms } from './support/programs.ts'
import { quantile } from './support/statistics.ts'

const RATE = 2_000
const SECONDS = 60
const PROBE_INTERVAL_MS = 500
const POLL_INTERVAL_MS = 40
const BUSY_NAME = 'busy.gate.localhost'
const PROBED_NAME = 'probed.gate.localhost'

requirePrograms('nginx', 'wrk')
const origin = await startOrigin()
const installation = await startInstallation()
try {
  const originUrl = `http://127.0.0.1:${origin.port}`
  await createSite(installation, BUSY_NAME, originUrl)
  const site = await createSite(installation, PROBED_NAME, originUrl)
  const { apiKey, researcher } = installation.firstRun
  const everything = await followTail(installation.controlUrl, apiKey)
  const probes = await followTail(installation.controlUrl, apiKey, `site=${site.id}`)

  const ask = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await installation.api<Answer | string>(method, path, body)
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    // The four operations answer a string that holds JSON.
    return typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body
  }
  const analytics = '/api/Analytics'
  const counted: Readonly<Record<string, (path: string) => Promise<number>>> = {
    getTotalRequest: async () =>
      (await ask<{ total: number }>('GET', `${analytics}/getTotalRequest?site=${site.id}`)).total,
    getTrafficTimeline: async () => {
      const { buckets } = await ask<{ buckets: { total: number }[] }>(
        'GET',
        `${analytics}/getTrafficTimeline?site=${site.id}`,
      )
      return buckets.reduce((sum, { total }) => sum + total, 0)
    },
    getWAFSummaryRulesTimeline: async () => {
      const { rules } = await ask<{ rules: { total: number }[] }>(
        'GET',
        `${analytics}/getWAFSummaryRulesTimeline?site=${site.id}`,
      )
      return Math.max(0, ...rules.map(({ total }) => total))
    },
    getSummaryTrafficTable: async () => {
      const { rows } = await ask<{ rows: { requests: number }[] }>(
        'POST',
        `${analytics}/getSummaryTrafficTable`,
        { urls: [PROBED_NAME] },
      )
      return rows.reduce((sum, { requests }) => sum + requests, 0)
    },
  }
  const times = new Map<string, number[]>()
  const note = (name: string, ms: number): void => void times.set(name, [...(times.get(name) ?? []), ms])

  /** Sends the probe with this number and waits until it is everywhere. */
  const probe = async (number: number): Promise<void> => {
    const path = `/probe-${number}`
    const sentAt = performance.now()
    const arrived = probes.arrival(path).then((at) => note('the live tail', at - sentAt))
    await installation.gate(PROBED_NAME, `${path}?q=1%27%20or%20%271%27=%271`)
    const polled = Object.entries(counted).map(async ([name, count]) => {
      while ((await count(path)) < number) await delay(POLL_INTERVAL_MS)
      note(name, performance.now() - sentAt)
    })
    await Promise.all([arrived, ...polled])
  }

  const load = runPacedLoad({
    url: installation.gatewayUrl,
    headers: { Host: BUSY_NAME, 'sallyport-key': researcher.key },
    prefix: '/page/',
    requestsPerSecond: RATE,
    seconds: SECONDS,
  })
  let isLoaded = true
  const finished = load.finally(() => {
    isLoaded = false
  })
  await delay(1_000)
  for (let number = 1; isLoaded; number += 1) {
    const next = delay(PROBE_INTERVAL_MS)
    await probe(number)
    await next
  }
  const { requests, requestsPerSecond, refused } = await finished
  await delay(2_000)
  console.log(
    `  ${requestsPerSecond.toFixed(0)} requests a second for ${SECONDS} s, ${refused} refused; ${times.get('the live tail')?.length} probes`,
  )
  for (const [name, values] of times)
    console.log(
      `    ${name.padEnd(28)} p50 ${quantile(values, 0.5).toFixed(0)} ms, p99 ${quantile(values, 0.99).toFixed(0)} ms, longest ${Math.max(...values).toFixed(0)} ms`,
    )
  const followed = everything.seen.filter(({ path }) => path.startsWith('/page/')).length
  console.log(
    `    the whole tail               ${followed} of ${requests} followed, ${everything.missed()} told as missed`,
  )
  everything.close()
  probes.close()
} finally {
  await installation.remove()
  await origin.stop()
}
