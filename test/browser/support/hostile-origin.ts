/**
 * An application that has been taken over, to put behind the gate: it serves whatever scripts and headers a test gives it,
 * and keeps what they bring home.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { Page } from 'playwright-core'
import { type LoopbackServer, listenOnLoopback } from '../../support/loopback.ts'

export interface Served {
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

export interface HostileOrigin extends LoopbackServer {
  /** What its scripts sent to `/loot`. */
  readonly loot: string[]
  /** The targets and headers of every request, as they reached it. */
  readonly seen: { readonly target: string; readonly headers: IncomingHttpHeaders }[]
  /** Answers a path with this; all other paths are an empty page. */
  serve(path: string, served: Served): void
}

export const PAGE = '<!doctype html><meta charset="utf-8"><title>Taken over</title><p>Hello</p>'

export async function startHostileOrigin(): Promise<HostileOrigin> {
  const loot: string[] = []
  const seen: { target: string; headers: IncomingHttpHeaders }[] = []
  const files = new Map<string, Served>()
  const server = createServer((request, response) => {
    const target = request.url ?? ''
    const path = target.split('?', 1)[0] ?? ''
    seen.push({ target, headers: request.headers })
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      if (path === '/loot') loot.push(body)
      const { type, body: text, headers } = files.get(path) ?? { type: 'text/html', body: PAGE }
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store', ...headers }).end(text)
    })
  })
  return {
    ...(await listenOnLoopback(server)),
    loot,
    seen,
    serve: (path, served) => void files.set(path, served),
  }
}

/** Sets cookies as a script of the page does, each by what stands in `document.cookie`. */
export const plantCookies = (page: Page, cookies: readonly string[]): Promise<void> =>
  page.evaluate((all) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie store refuses forms that this lets through
    for (const cookie of all) document.cookie = cookie
  }, cookies)
