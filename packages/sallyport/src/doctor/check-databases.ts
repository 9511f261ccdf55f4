/** The engines: PostgreSQL, ClickHouse, Valkey. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { Client } from 'pg'
import { findRunningPostgres } from '../embedded/postgres.ts'
import type { Settings } from '../settings.ts'
import { describeClock } from './check-clock.ts'
import { type Finding, failed, ok, reasonOf, skipped, warning } from './finding.ts'

const TIMEOUT_MS = 5_000
const ANSWER_BYTES_MAX = 64 * 1024

/** Whether PostgreSQL lets us in, and what its clock says. */
export async function checkPostgres(settings: Settings): Promise<Finding[]> {
  const check = 'PostgreSQL'
  const url = settings.databaseUrl ?? findRunningPostgres(join(settings.dataDir, 'postgres'))?.appUrl
  if (url === undefined) return [skipped(check, 'the one of the data directory is not running')]
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string; now: Date }>(
      "SELECT current_setting('server_version') AS version, clock_timestamp() AS now",
    )
    const [row] = rows
    if (!row) return [failed(check, 'it answered nothing', 'look at its log')]
    return [ok(check, `version ${row.version}`), describeClock('clock of PostgreSQL', row.now.getTime())]
  } catch (error) {
    const where = settings.databaseUrl ? 'DATABASE_URL' : 'the PostgreSQL of the data directory'
    return [
      failed(
        check,
        reasonOf(error),
        `correct ${where}, start the server, or open the way to it from this machine`,
      ),
    ]
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Whether a ClickHouse server answers. */
export async function checkClickHouse({ clickhouseUrl }: Pick<Settings, 'clickhouseUrl'>): Promise<Finding> {
  const check = 'ClickHouse'
  if (clickhouseUrl === undefined)
    return skipped(check, 'the engine is in the control plane, whose /readyz tells of it')
  const url = new URL(clickhouseUrl)
  const credentials = `${decodeURIComponent(url.username) || 'default'}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  url.searchParams.set('query', 'SELECT version()')
  try {
    const answer = await fetch(url, {
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = (await answer.text()).trim().split('\n', 1)[0] ?? ''
    if (answer.ok) return ok(check, `version ${text}`)
    return failed(check, `it answers ${answer.status}: ${text.slice(0, 200)}`, 'correct CLICKHOUSE_URL')
  } catch (error) {
    return failed(check, reasonOf(error), 'correct CLICKHOUSE_URL, or start the server')
  }
}

/** Whether Valkey answers, and limits can be counted in what does. */
export async function checkValkey({ valkeyUrl }: Pick<Settings, 'valkeyUrl'>): Promise<Finding> {
  const check = 'Valkey'
  if (valkeyUrl === undefined) return skipped(check, 'each gateway counts limits on its own')
  try {
    const answer = await askValkey(new URL(valkeyUrl))
    const [, version = 'unknown'] = /^(?:valkey|redis)_version:(\S+)/m.exec(answer) ?? []
    const { readServerFacts } = await import('@sallyport/gateway')
    const { misnamed, unready } = readServerFacts(answer)
    if (misnamed !== null)
      return failed(
        check,
        `version ${version}: ${misnamed}`,
        'correct VALKEY_URL: a gateway does not start with it',
      )
    if (unready !== null)
      return warning(
        check,
        `version ${version}: ${unready}`,
        'until then each gateway counts its part of the limits',
      )
    return ok(check, `version ${version}`)
  } catch (error) {
    return failed(
      check,
      reasonOf(error),
      'correct VALKEY_URL, or start the server: until then each gateway counts its part of the limits',
    )
  }
}

/** Sends AUTH where there is a password, and INFO; returns what the server says of itself. Throws what it refuses with. */
async function askValkey({ protocol, hostname, port, username, password }: URL): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const place = { host, port: Number(port || 6_379) }
  const isEncrypted = protocol === 'rediss:' || protocol === 'valkeys:'
  const socket: Socket = isEncrypted ? connectTls({ ...place, servername: host }) : connect(place)
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('it does not answer')))
  try {
    await once(socket, isEncrypted ? 'secureConnect' : 'connect')
    if (password !== '')
      socket.write(
        command('AUTH', ...(username ? [decodeURIComponent(username)] : []), decodeURIComponent(password)),
      )
    socket.write(command('INFO'))
    let text = ''
    for await (const chunk of socket) {
      text += String(chunk)
      const [refusal] = /^-.*/m.exec(text) ?? []
      if (refusal !== undefined) throw new Error(refusal.slice(1).trim())
      const [head, length] = /^\$(\d+)\r\n/m.exec(text) ?? []
      const begin = head === undefined ? -1 : text.indexOf(head) + head.length
      if (text.length > ANSWER_BYTES_MAX || (begin > 0 && text.length >= begin + Number(length))) return text
    }
    throw new Error('it closed the connection')
  } finally {
    socket.destroy()
  }
}

/** A command in the protocol of Redis, version 2. */
const command = (...words: readonly string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`
