/** A running control plane on a database of its own, with organizations to call it as. One per test file. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  API_KEY_PREFIX,
  formatSecretKey,
  ROLES,
  type Role,
  SECRET_KEY_RANDOM_BYTES,
  secretKeyLookup,
} from '@sallyport/contract'
import { eventually } from '../../../../test/support/installation.ts'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import { copyPreparedStore } from '../../../../test/support/prepared-store.ts'
import { type Database, newId, openDatabase } from '../../src/database/database.ts'
import { hashSecretKey } from '../../src/identity/api-keys/secret-keys.ts'
import { type ControlSettings, startControl } from '../../src/index.ts'
import { createCipher } from '../../src/secrets/cipher.ts'
import { batchBody } from './traffic.ts'

/** Webhooks may be on this machine, and no mail is sent. */
export const LOOPBACK_NOTIFY: ControlSettings['notify'] = {
  webhookHosts: [],
  webhookPrivateAddresses: ['127.0.0.0/8'],
  webhookPlainHosts: ['127.0.0.1', 'localhost'],
  mail: null,
}

const STORE_WAIT_MS = 60_000
export const GATEWAY_TOKEN = 'gateway-token-of-the-tests'

/** An organization, with an API key of each role. */
export interface TestOrganization {
  readonly orgId: string
  readonly keys: Readonly<Record<Role, string>>
}

export interface CallOptions {
  readonly key?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface TestAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
}

export interface TestControl {
  readonly url: string
  /** Where its metrics are. */
  readonly adminUrl: string
  readonly settings: ControlSettings
  readonly database: Database
  createOrganization(name: string): Promise<TestOrganization>
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>
  close(): Promise<void>
}

export async function startTestControl(given: Partial<ControlSettings> = {}): Promise<TestControl> {
  const { appUrl, ownerUrl, drop } = await createTestDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-control-'))
  if (given.clickhouse === undefined) copyPreparedStore(join(folder, 'clickhouse'))
  const settings: ControlSettings = {
    host: '127.0.0.1',
    port: 0,
    adminHost: '127.0.0.1',
    adminPort: 0,
    version: '0.0.0',
    publicUrl: 'http://localhost:7070',
    trustedProxies: [],
    gateDomain: 'gate.localhost',
    gatewayPublicUrl: 'http://gate.localhost:7080',
    gateUrl: 'http://sallyport.gate.localhost:7080',
    originProof: 'never',
    allowPrivateOrigins: [],
    databaseUrl: appUrl,
    migrationDatabaseUrl: ownerUrl,
    clickhouse: { dataDir: join(folder, 'clickhouse') },
    secretKey: randomBytes(32),
    gatewayToken: GATEWAY_TOKEN,
    oidc: null,
    notify: LOOPBACK_NOTIFY,
    consoleDir: null,
    traces: null,
    logLevel: process.env.SALLYPORT_TEST_LOG_LEVEL ?? 'silent',
    ...given,
  }
  const control = await startControl(settings)
  const database = openDatabase({
    url: settings.directDatabaseUrl ?? settings.databaseUrl,
    cipher: createCipher(settings.secretKey),
    connectionsMax: 4,
  })

  return {
    url: control.url,
    adminUrl: `http://127.0.0.1:${control.adminPort}`,
    settings,
    database,
    createOrganization: (name) => createOrganization(database, name),
    call: (method, path, options) => call(control.url, method, path, options),
    close: async () => {
      await control.close()
      await database.close()
      await drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until it has its traffic store by URL: on a slow machine it starts without, and has it a moment later. */
export const untilTrafficStore = (control: Pick<TestControl, 'call'>): Promise<unknown> =>
  eventually(async () => (await control.call('GET', '/readyz')).json.trafficStore === 'there', STORE_WAIT_MS)

/** Posts a batch as a gateway does, and throws unless it was stored. */
export async function postBatch(
  { url }: { readonly url: string },
  events: Parameters<typeof batchBody>[0],
  header: Parameters<typeof batchBody>[1] = {},
): Promise<void> {
  const answer = await fetch(`${url}/gateway/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${GATEWAY_TOKEN}`, 'content-type': 'application/x-ndjson' },
    body: batchBody(events, header),
  })
  if (answer.status !== 204)
    throw new Error(`the batch was answered ${answer.status}: ${await answer.text()}`)
}

export async function createOrganization(database: Database, name: string): Promise<TestOrganization> {
  const orgId = newId()
  const keys = ROLES.map((role) => ({
    role,
    key: formatSecretKey(API_KEY_PREFIX, randomBytes(SECRET_KEY_RANDOM_BYTES)),
  }))
  await database.write(orgId, async (tx) => {
    await tx.query('INSERT INTO organizations (org_id, name, credits) VALUES ($1, $2, 100)', [orgId, name])
    for (const { role, key } of keys)
      await tx.query(
        `INSERT INTO api_keys (org_id, id, name, role, lookup, hash, created_by, created_by_email)
         VALUES ($1, $2, $3, $3, $4, $5, $6, $7)`,
        [orgId, newId(), role, secretKeyLookup(key), hashSecretKey(key), newId(), `${role}@example.com`],
      )
  })
  const [owner = '', admin = '', viewer = ''] = keys.map(({ key }) => key)
  return { orgId, keys: { owner, admin, viewer } }
}

/** Sends requests of whoever has the key. */
export const callerOf =
  (control: TestControl, key: string) =>
  (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
    control.call(method, path, { key, body })

/** One request. A body that is not a string is sent as JSON; also with GET, which `fetch` refuses to do. */
export async function call(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<TestAnswer> {
  const { key, body, headers = {} } = options
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await send(new URL(path, url), method, sent, {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(sent !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  })
  return { ...answer, json: answer.text === '' ? undefined : parse(answer.text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function send(url: URL, method: string, body: string | undefined, headers: Record<string, string>) {
  return new Promise<Omit<TestAnswer, 'json'>>((resolve, reject) => {
    // Node leaves the framing of a GET's body to its caller.
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const outgoing = request(url, { method, headers: { ...length, ...headers }, agent })
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      incoming.setEncoding('utf8')
      let text = ''
      incoming.on('data', (chunk: string) => {
        text += chunk
      })
      incoming.once('error', reject)
      incoming.once('end', () => {
        const received = new Headers(incoming.headers as Record<string, string>)
        resolve({ status: incoming.statusCode ?? 0, headers: received, text })
      })
    })
    outgoing.end(body)
  })
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
