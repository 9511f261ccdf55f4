/**
 * ClickHouse's HTTP interface over the embedded engine, as far as the official client uses it: statements in the URL or
 * the body, settings and `param_*` values in the URL, gzip bodies, answers in any format, errors by status, code and
 * text. So `CLICKHOUSE_URL` can be tested over real sockets where no server is installed. What it is not: users,
 * sessions, replication, limits between queries.
 */
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Session } from 'chdb'
import { onOneNode, writeClusterConfig } from './one-node-cluster.ts'

const CONNECTIONS = 4
/** To compile an expression takes the engine longer than to evaluate it for as few rows as tests have. */
const UNCOMPILED = ['--compile_expressions=0', '--compile_aggregate_expressions=0']

/** Parameters of the URL that are not settings of the engine. */
const NOT_SETTINGS = new Set(['query', 'query_id', 'database', 'user', 'password', 'default_format'])
/** Settings of the HTTP layer alone. */
const HTTP_SETTINGS = new Set([
  'wait_end_of_query',
  'enable_http_compression',
  'send_progress_in_http_headers',
])

/** A server that is not listening yet. Closing it closes the engine. */
export function createHttpInterface(
  dataDir: string,
  cluster?: string,
): { readonly server: Server; close(): void } {
  // The first one starts the engine, which the others share.
  const startArgs = cluster === undefined ? [] : [`--config-file=${writeClusterConfig(dataDir, cluster)}`]
  const sessions = Array.from(
    { length: CONNECTIONS },
    (_, index) =>
      new Session(dataDir, { connectionArgs: index === 0 ? [...startArgs, ...UNCOMPILED] : UNCOMPILED }),
  )
  const waiting: ((session: Session) => void)[] = []
  const free = [...sessions]

  const run = async (sql: string, format: string): Promise<Uint8Array> => {
    const session = free.pop() ?? (await new Promise<Session>((given) => waiting.push(given)))
    try {
      const statement = cluster === undefined ? sql : onOneNode(sql)
      return (await session.queryAsync(statement, { format })).bytes()
    } finally {
      const next = waiting.shift()
      if (next) next(session)
      else free.push(session)
    }
  }
  const server = createServer((request, response) => {
    answer(request, response, run).catch(() => response.destroy())
  })
  return {
    server,
    close: () => {
      for (const session of sessions) session.close()
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  run: (sql: string, format: string) => Promise<Uint8Array>,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://server')
  if (url.pathname === '/ping') {
    response.end('Ok.\n')
    return
  }
  const body = await readBody(request)
  const query = url.searchParams.get('query') ?? ''
  const execute = (statement: string): Promise<Uint8Array> =>
    run(
      `${settingsOf(url.searchParams)}${statement}`,
      url.searchParams.get('default_format') ?? 'TabSeparated',
    )
  try {
    // A statement in the URL goes before what is in the body: that is how the data of an INSERT comes.
    const rows = query.endsWith('FORMAT Native')
      ? await insertFromFile(query, body, execute)
      : await execute([query, body.toString('utf8')].filter((part) => part).join('\n'))
    response.writeHead(200, {
      'content-type': 'text/plain; charset=UTF-8',
      'x-clickhouse-query-id': url.searchParams.get('query_id') ?? '',
      'x-clickhouse-summary': '{"read_rows":"0","read_bytes":"0","written_rows":"0","written_bytes":"0"}',
    })
    response.end(rows)
  } catch (error) {
    refuse(response, error instanceof Error ? error.message : String(error))
  }
}

/** The embedded engine takes data that is not text from files alone. */
async function insertFromFile(
  query: string,
  body: Buffer,
  execute: (statement: string) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const file = join(tmpdir(), `sallyport-insert-${randomUUID()}`)
  await writeFile(file, body)
  try {
    return await execute(query.replace(' SETTINGS ', ` FROM INFILE '${file}' SETTINGS `))
  } finally {
    await rm(file)
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

/** `SET param_x` reads a value as the URL's `param_x` is read. */
function settingsOf(parameters: URLSearchParams): string {
  return [...parameters]
    .filter(([name]) => !NOT_SETTINGS.has(name) && !HTTP_SETTINGS.has(name))
    .map(([name, value]) => `SET ${name} = ${literal(value)}; `)
    .join('')
}

const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Codes that a server answers with another status than 500. */
const STATUSES: Readonly<Record<string, number>> = { 60: 404, 62: 400, 159: 408 }

function refuse(response: ServerResponse, message: string): void {
  const code = /Code: (\d+)/.exec(message)?.[1] ?? '1002'
  response.writeHead(STATUSES[code] ?? 500, {
    'content-type': 'text/plain; charset=UTF-8',
    'x-clickhouse-exception-code': code,
  })
  response.end(`${message}\n`)
}
