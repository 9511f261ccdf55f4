/** A control plane that says on the config feed what a test tells it to, and things to say. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { type FeedMessage, feedPut, type ResearcherConfig, type SiteConfig } from '@sallyport/contract'
import { researcher, site } from '../support/test-data-plane.ts'

export const sampleSite = (id: string, changes: Partial<SiteConfig> = {}): SiteConfig =>
  site(443, { id, gatedName: `${id}.gate.localhost`, ...changes })

export const sampleResearcher = (id: string, changes: Partial<ResearcherConfig> = {}): ResearcherConfig =>
  researcher({
    id,
    email: `${id}@example.org`,
    keyHashes: [`hash of ${id}`],
    ...changes,
  })

export const putSite = (id: string, changes: Partial<SiteConfig> = {}): FeedMessage =>
  feedPut('site', id, sampleSite(id, changes))

export const putResearcher = (id: string, changes: Partial<ResearcherConfig> = {}): FeedMessage =>
  feedPut('researcher', id, sampleResearcher(id, changes))

/** What is said, as it goes over the wire. */
type Encode = (text: string) => Buffer | Promise<Buffer>
const plain: Encode = (text) => Buffer.from(text)

export class ScriptedFeed {
  readonly #connections = new Map<ServerResponse, Encode>()
  readonly #server = createServer((request, response) => {
    const isPacked = request.headers['accept-encoding'] === 'gzip' && this.packing !== undefined
    const encode = (isPacked && this.packing) || plain
    this.#connections.set(response, encode)
    response.on('close', () => this.#connections.delete(response))
    response.writeHead(200, {
      'content-type': 'application/x-ndjson',
      ...(isPacked && { 'content-encoding': 'gzip' }),
    })
    void this.#write(response, encode, this.opening)
  })
  #port = 0
  /** What each new connection is told first. */
  opening: readonly FeedMessage[] = []
  /** How what takes gzip is told; as all others where it is not given. */
  packing: Encode | undefined

  constructor(context: TestContext) {
    context.after(() => this.stop())
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
  }

  get connected(): number {
    return this.#connections.size
  }

  say(...messages: FeedMessage[]): void {
    for (const [connection, encode] of this.#connections) void this.#write(connection, encode, messages)
  }

  disconnect(): void {
    for (const connection of this.#connections.keys()) connection.destroy()
  }

  async #write(to: ServerResponse, encode: Encode, messages: readonly FeedMessage[]): Promise<void> {
    to.write(await encode(messages.map((message) => `${JSON.stringify(message)}\n`).join('')))
  }
}
