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

export class ScriptedFeed {
  readonly #connections = new Set<ServerResponse>()
  readonly #server = createServer((_request, response) => {
    this.#connections.add(response)
    response.on('close', () => this.#connections.delete(response))
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.write(this.#lines(this.opening))
  })
  #port = 0
  /** What each new connection is told first. */
  opening: readonly FeedMessage[] = []

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
    for (const connection of this.#connections) connection.write(this.#lines(messages))
  }

  disconnect(): void {
    for (const connection of this.#connections) connection.destroy()
  }

  #lines(messages: readonly FeedMessage[]): string {
    return messages.map((message) => `${JSON.stringify(message)}\n`).join('')
  }
}
