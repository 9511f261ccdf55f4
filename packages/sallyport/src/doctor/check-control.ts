/** The way from here to a control plane: its address, what gateways show, and what stands between. */
import { request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { BATCH_WIRE_BYTES_MAX, BATCHES_PATH, FEED_PATH, FEED_PING_INTERVAL_MS } from '@sallyport/contract'
import { request as requestHttp } from '@sallyport/toolbox/node-http'
import { describeExpiry } from './check-certificates.ts'
import { describeClock } from './check-clock.ts'
import { type Finding, failed, ok, reasonOf, warning } from './finding.ts'

const TIMEOUT_MS = 5_000
/** For how long the feed is listened to; it says something four times a second. */
const LISTEN_MS = 3_000
/** Lines that come further apart were kept back on the way. */
const GAP_MAX_MS = 4 * FEED_PING_INTERVAL_MS
const LET_IN =
  'enrol the gateway (`sallyport gateway enroll`), or set SALLYPORT_GATEWAY_TOKEN to that of the control plane'

/** Checks a control plane at its URL. `token` is what gateways show, where it is known. */
export async function checkControl(url: string, token: string | undefined): Promise<Finding[]> {
  const check = `control plane ${url}`
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const date = Date.parse(answer.headers.get('date') ?? '')
    const text = (await answer.text()).slice(0, 200)
    const findings = [describeReadiness(check, answer.status, text)]
    if (!Number.isNaN(date)) findings.push(describeClock(`clock of ${url}`, date))
    if (url.startsWith('https:')) findings.push(await checkCertificateOf(url))
    const isOurs = /"trafficStore"/.test(text)
    if (!isOurs) return findings
    return [...findings, await checkBodySize(url), await checkFeed(url, token)]
  } catch (error) {
    const advice =
      'start it, correct SALLYPORT_CONTROL_URL, or open the way to it; a certificate must be one that this system trusts'
    return [failed(check, reasonOf(error), advice)]
  }
}

function describeReadiness(check: string, status: number, text: string): Finding {
  if (!/"trafficStore"/.test(text))
    return failed(
      check,
      `something else answers ${status}: ${text}`,
      'correct SALLYPORT_CONTROL_URL, or the rules of the proxy: all paths go to the control plane',
    )
  if (status !== 200) return failed(check, text, 'look at PostgreSQL')
  if (/"trafficStore":"away"/.test(text))
    return warning(check, text, 'look at ClickHouse: gateways keep their records until it is back')
  return ok(check, 'ready')
}

/** Whether what it shows expires soon; whether it is trusted, `fetch` has said. */
async function checkCertificateOf(url: string): Promise<Finding> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connectTls({ host, port: Number(port || 443), servername: host })
  try {
    const validTo = await new Promise<string>((resolve, reject) => {
      socket.setTimeout(TIMEOUT_MS, () => reject(new Error('it does not answer')))
      socket.once('error', reject)
      socket.once('secureConnect', () => resolve(socket.getPeerCertificate().valid_to))
    })
    return describeExpiry(`certificate of ${url}`, Date.parse(validTo))
  } catch (error) {
    return failed(`certificate of ${url}`, reasonOf(error), 'look at the proxy before the control plane')
  } finally {
    socket.destroy()
  }
}

/** Posts as much as a gateway does, without a token: the control plane reads none of it and answers 401. */
async function checkBodySize(url: string): Promise<Finding> {
  const check = `body size towards ${url}`
  const advice = 'let the proxy take bodies of 1 MiB (nginx: client_max_body_size 1m)'
  try {
    const status = await postUnauthorized(new URL(BATCHES_PATH, url))
    if (status === 401) return ok(check, `${BATCH_WIRE_BYTES_MAX} bytes go through`)
    if (status === 413) return failed(check, 'something on the way answers 413', advice)
    return warning(
      check,
      `something on the way answers ${status}`,
      'look at the proxy: it must pass /gateway/ on as it is',
    )
  } catch (error) {
    return warning(check, `the connection broke off: ${reasonOf(error)}`, advice)
  }
}

function postUnauthorized(url: URL): Promise<number> {
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', 'content-length': BATCH_WIRE_BYTES_MAX },
    timeout: TIMEOUT_MS,
  })
  return new Promise((resolve, reject) => {
    request.once('response', (response) => {
      resolve(response.statusCode ?? 0)
      // What was not read by then does not matter.
      request.on('error', () => undefined)
      request.destroy()
    })
    request.once('error', reject)
    request.once('timeout', () => request.destroy(new Error('it does not answer')))
    request.end(Buffer.alloc(BATCH_WIRE_BYTES_MAX))
  })
}

/** Whether lines of the feed come when they are sent. */
async function checkFeed(url: string, token: string | undefined): Promise<Finding> {
  const check = `config feed of ${url}`
  if (token === undefined)
    return failed(check, 'no gateway is enrolled here, and the token of gateways is not known', LET_IN)
  const stop = new AbortController()
  const deadline = sleep(TIMEOUT_MS + LISTEN_MS, undefined, { signal: stop.signal }).then(
    () => stop.abort(),
    () => undefined,
  )
  try {
    const headers = { authorization: `Bearer ${token}` }
    const buffered = failed(
      check,
      'lines come late, or not at all',
      'switch off buffering of answers in the proxy for /gateway/feed (nginx: proxy_buffering off), and compression',
    )
    const answer = await Promise.race([
      fetch(new URL(FEED_PATH, url), { headers, signal: stop.signal }),
      sleep(TIMEOUT_MS, undefined, { ref: false }),
    ])
    if (!answer) return buffered
    if (answer.status === 401) return failed(check, 'what the gateway shows is refused', LET_IN)
    if (!answer.ok || !answer.body)
      return failed(
        check,
        `it answers ${answer.status}`,
        'look at the proxy: it must pass /gateway/ on as it is',
      )
    return (await longestGapMs(answer.body)) > GAP_MAX_MS
      ? buffered
      : ok(check, 'lines come as they are sent')
  } catch (error) {
    return failed(check, reasonOf(error), 'look at the log of the control plane, and of the proxy')
  } finally {
    stop.abort()
    await deadline
  }
}

/** The longest time between two pieces of a stream, or until the first. Stops reading. */
async function longestGapMs(body: ReadableStream<Uint8Array>): Promise<number> {
  const reader = body.getReader()
  const end = performance.now() + LISTEN_MS
  let longest = 0
  for (let last = performance.now(); performance.now() < end; last = performance.now()) {
    const read = await Promise.race([reader.read(), sleep(end - last, undefined, { ref: false })])
    longest = Math.max(longest, performance.now() - last)
    if (read?.done) throw new Error('it ended the feed')
    if (!read) break
  }
  return longest
}
