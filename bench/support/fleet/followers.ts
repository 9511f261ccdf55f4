/**
 * Gateways as the control plane sees them, many in one process: each follows the feed, asks for its lease and reports what it runs
 * every second. They keep nothing of what they are sent. Told what to do by messages, and answers with what was seen.
 */
import { request } from 'node:http'
import {
  BATCH_FORMAT,
  BATCHES_PATH,
  type BatchHeader,
  FEED_PATH,
  LEASE_PATH,
  type LeaseChallenge,
} from '@sallyport/contract'
import { MemberReader } from '@sallyport/toolbox'

/** What the process is told. */
export interface FollowersOrder {
  readonly controlUrl: string
  readonly token: string
  readonly count: number
}

/** When a change that says its number came to a follower, or a follower had everything; milliseconds since the epoch. */
export type SeenByFollower =
  | {
      readonly kind: 'all'
      readonly follower: number
      readonly at: number
      /** Of the feed's text, and of what came over the network. */
      readonly bytes: number
      readonly wireBytes: number
    }
  | { readonly kind: 'change'; readonly follower: number; readonly number: number; readonly at: number }

const SECOND_MS = 1_000
const RETRY_MS = 100
const COMMIT = /\{"type":"commit","revision":(\d+)\}\n/g
const CHANGE = /"change (\d+) of the bench"/g

process.once('message', (order: FollowersOrder) => {
  for (let follower = 0; follower < order.count; follower += 1) follow(order, follower)
})

function follow({ controlUrl, token }: FollowersOrder, follower: number): void {
  let revision = 0
  const headers = { authorization: `Bearer ${token}` }
  const feedHeaders = { ...headers, 'accept-encoding': 'gzip' }
  const gatewayId = `simulated-${follower}`

  const connect = (): void => {
    let tail = ''
    let [bytes, wireBytes] = [0, 0]
    let hasAll = false
    const read = (piece: Buffer): void => {
      bytes += piece.length
      // A line may be cut: what is looked for is shorter than what is kept.
      const text = tail + piece.toString('latin1')
      const at = Date.now()
      if (hasAll)
        for (const [, number] of text.matchAll(CHANGE))
          say({ kind: 'change', follower, number: Number(number), at })
      for (const [, committed] of text.matchAll(COMMIT)) {
        revision = Number(committed)
        if (!hasAll) say({ kind: 'all', follower, at, bytes, wireBytes })
        hasAll = true
      }
      tail = text.slice(-100)
    }
    const call = request(new URL(FEED_PATH, controlUrl), { headers: feedHeaders, agent: false })
    call.on('response', (feed) => {
      const members = new MemberReader()
      feed.on('error', () => undefined)
      feed.on('data', (chunk: Buffer) => {
        wireBytes += chunk.length
        members.add(chunk)
        for (let piece = members.next(); piece; piece = members.next()) read(piece)
      })
    })
    call.on('error', () => undefined)
    call.on('close', () => setTimeout(connect, RETRY_MS))
    call.end()
  }
  const post = (path: string, type: string, body: string): void => {
    const call = request(
      new URL(path, controlUrl),
      { method: 'POST', headers: { ...headers, 'content-type': type } },
      (answer) => answer.resume(),
    )
    call.on('error', () => undefined)
    call.end(body)
  }
  setInterval(() => {
    const challenge: LeaseChallenge = {
      gatewayId,
      challenge: 'AAAAAAAAAAAAAAAAAAAAAA',
      revision,
      version: '0',
    }
    post(LEASE_PATH, 'application/json', JSON.stringify(challenge))
    const header: BatchHeader = {
      ...{ format: BATCH_FORMAT, gatewayId, batchId: '', events: 0, revision, health: [] },
      assertionKeys: { keys: [] },
      journal: { pending: 0, pendingBytes: 0, damagedBytes: 0 },
    }
    post(BATCHES_PATH, 'application/x-ndjson', `${JSON.stringify(header)}\n`)
  }, SECOND_MS)
  connect()
}

const said = new Set<string>()
/** A change that stands in what is kept of a chunk is found again with the next one. */
function say(seen: SeenByFollower): void {
  const key = seen.kind === 'change' ? `${seen.follower} ${seen.number}` : ''
  if (key !== '' && said.has(key)) return
  if (key !== '') said.add(key)
  process.send?.(seen)
}
