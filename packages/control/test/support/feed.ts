/** A reader of the config feed that keeps what a gateway would know, and gateways that report, or are cut off. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import {
  BATCH_FORMAT,
  BATCHES_PATH,
  type BatchHeader,
  FEED_PATH,
  type FeedMessage,
} from '@sallyport/contract'
import type { Database } from '../../src/database/database.ts'
import { type OpenGatewayAccess, openGatewayAccess } from '../../src/gateway-access/gateway-access.ts'
import { GATEWAY_TOKEN } from './control.ts'

export interface FeedReader {
  /** Values by `kind/id`, as of the last commit. */
  readonly items: ReadonlyMap<string, unknown>
  readonly revision: number
  /** Resolves when the feed has ended. */
  readonly ended: Promise<void>
  /** Resolves once a commit has left things so that `test` holds. Rejects after five seconds. */
  until(test: (items: ReadonlyMap<string, unknown>) => boolean): Promise<void>
  close(): void
}

/** @param takes other encodings than none that the reader takes */
export async function followFeed(url: string, token = GATEWAY_TOKEN, takes?: 'gzip'): Promise<FeedReader> {
  const headers = { authorization: `Bearer ${token}`, ...(takes && { 'accept-encoding': takes }) }
  const outgoing = request(new URL(FEED_PATH, url), { headers }).end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`the feed answered ${response.statusCode}`)
  if (response.headers['content-encoding'] !== takes) throw new Error('the feed is encoded otherwise')
  const items = new Map<string, unknown>()
  const waiting = new Set<() => void>()
  let revision = 0
  let open: FeedMessage[] = []
  // Closing the reader breaks the response off.
  response.on('error', () => {})
  const input = takes ? response.pipe(createGunzip()) : response
  const lines = createInterface({ input })
  lines.on('error', () => {})
  lines.on('line', (line) => {
    const message = JSON.parse(line) as FeedMessage
    if (message.type === 'ping') return
    open.push(message)
    if (message.type !== 'commit') return
    for (const one of open) {
      if (one.type === 'begin' && one.mode === 'full') items.clear()
      if (one.type === 'put') items.set(`${one.kind}/${one.id}`, one.value)
      if (one.type === 'remove') items.delete(`${one.kind}/${one.id}`)
    }
    open = []
    revision = message.revision
    for (const look of [...waiting]) look()
  })
  const ended = new Promise<void>((resolve) => response.once('close', () => resolve()))
  return {
    items,
    ended,
    get revision() {
      return revision
    },
    until: (test) =>
      new Promise((resolve, reject) => {
        const timeout = setTimeout(() => reject(new Error('the feed did not bring it')), 5_000)
        const look = (): void => {
          if (!test(items)) return
          clearTimeout(timeout)
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    close: () => outgoing.destroy(),
  }
}

/** Reports as a gateway that runs a revision. */
export async function report(
  url: string,
  header: Partial<BatchHeader> & { revision: number },
  token = GATEWAY_TOKEN,
): Promise<number> {
  const body: BatchHeader = {
    format: BATCH_FORMAT,
    gatewayId: 'gateway-of-the-tests',
    batchId: '',
    events: 0,
    assertionKeys: { keys: [] },
    health: [],
    journal: { pending: 0, pendingBytes: 0, damagedBytes: 0 },
    ...header,
  }
  const answer = await fetch(new URL(BATCHES_PATH, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: `${JSON.stringify(body)}\n`,
  })
  return answer.status
}

/** Longer than it takes a control plane to hear what another one has written. */
export const UNTIL_HEARD_MS = 1_500

/** Writes gateways down that another control plane heard of an hour ago, and granted a lease so long ago. */
export const cutOffGateways =
  (database: Database) => (gatewayId: string, revision: number, grantedSecondsAgo: number | null) =>
    database.writeInstallation((tx) =>
      tx.query(
        `INSERT INTO gateways (id, revision, seen_at, health, assertion_keys, journal, granted_at, granted_revision)
         VALUES ($1, $2, now() - interval '1 hour', '[]', '{"keys": []}', '{}', now() - $3 * interval '1 second', $2)`,
        [gatewayId, revision, grantedSecondsAgo],
      ),
    )

/** Lets in whoever shows a token, as where no gateway is enrolled. */
export const openSharedAccess = (gatewayToken: string): Promise<OpenGatewayAccess> => {
  const nobody = { query: async () => [] }
  return openGatewayAccess({
    database: { readInstallation: (work) => work(nobody), writeInstallation: (work) => work(nobody) },
    notifications: { listen: () => undefined },
    gatewayToken,
    failed: () => undefined,
  })
}
