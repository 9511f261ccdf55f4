/** A control plane whose feed a test writes, that grants leases and keeps the batches that come. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import {
  BATCHES_PATH,
  type BatchHeader,
  FEED_PATH,
  type FeedPut,
  feedPut,
  LEASE_PATH,
  type LeaseChallenge,
  type SnapshotKind,
} from '@sallyport/contract'
import { researcher, SESSION_KEY, site } from '../../support/test-data-plane.ts'

interface StoredBatch {
  readonly header: BatchHeader
  readonly lines: readonly string[]
}

export class TestControlPlane {
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #feeds = new Set<ServerResponse>()
  readonly #puts = new Map<string, FeedPut>()
  revision = 0
  takesBatches = true
  /** Each batch once, by its id. */
  readonly batches = new Map<string, StoredBatch>()
  /** The last report without events. */
  report: BatchHeader | undefined

  static async start(context: Pick<TestContext, 'after'>): Promise<TestControlPlane> {
    const control = new TestControlPlane()
    control.#server.listen(0, '127.0.0.1')
    await once(control.#server, 'listening')
    context.after(() => {
      control.#server.closeAllConnections()
      control.#server.close()
    })
    return control
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** One open site and one researcher. */
  begin(originPort: number, changes: Parameters<typeof site>[1] = {}): void {
    this.put(
      feedPut('installation', 'installation', { sessionKey: SESSION_KEY }),
      feedPut('organization', 'org', { id: 'org', name: 'Org', open: true }),
      feedPut('site', 'site-1', site(originPort, changes)),
      feedPut('researcher', 'researcher-1', researcher()),
    )
  }

  put(...puts: readonly FeedPut[]): void {
    this.revision += 1
    for (const put of puts) this.#puts.set(`${put.kind} ${put.id}`, put)
    for (const feed of this.#feeds) this.#send(feed, 'delta', puts)
  }

  remove(kind: SnapshotKind, id: string): void {
    this.revision += 1
    this.#puts.delete(`${kind} ${id}`)
    for (const feed of this.#feeds)
      this.#write(
        feed,
        { type: 'begin', mode: 'delta', revision: this.revision },
        { type: 'remove', kind, id },
        { type: 'commit', revision: this.revision },
      )
  }

  /** Events by the number of the journal that they came from. */
  eventsOf(journalNumber: number): number {
    let events = 0
    for (const { header } of this.batches.values())
      if ((header.journalNumber ?? 0) === journalNumber) events += header.events
    return events
  }

  get events(): number {
    return [...this.batches.values()].reduce((total, { header }) => total + header.events, 0)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === FEED_PATH) {
      this.#feeds.add(response)
      response.on('close', () => this.#feeds.delete(response))
      response.writeHead(200)
      this.#send(response, 'full', [...this.#puts.values()])
      const pings = setInterval(() => this.#write(response, { type: 'ping' }), 100)
      response.on('close', () => clearInterval(pings))
      return
    }
    const body = await text(request)
    if (request.url === LEASE_PATH) {
      const { challenge }: LeaseChallenge = JSON.parse(body)
      response.end(JSON.stringify({ challenge, revision: this.revision }))
    } else if (request.url === BATCHES_PATH) this.#takeBatch(body, response)
    else response.writeHead(204).end()
  }

  #takeBatch(body: string, response: ServerResponse): void {
    const [first = '', ...lines] = body.split('\n').filter((line) => line !== '')
    const header: BatchHeader = JSON.parse(first)
    if (header.batchId === '') this.report = header
    else if (!this.takesBatches) {
      response.writeHead(503).end()
      return
    } else {
      const before = this.batches.get(header.batchId)
      if (before) assert.deepEqual(before.lines, lines)
      this.batches.set(header.batchId, { header, lines })
    }
    response.writeHead(204).end()
  }

  #send(feed: ServerResponse, mode: 'full' | 'delta', puts: readonly FeedPut[]): void {
    const { revision } = this
    this.#write(feed, { type: 'begin', mode, revision }, ...puts, { type: 'commit', revision })
  }

  #write(feed: ServerResponse, ...messages: readonly object[]): void {
    for (const message of messages) feed.write(`${JSON.stringify(message)}\n`)
  }
}
