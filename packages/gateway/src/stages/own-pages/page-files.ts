/** The built researcher's page, read once into memory: a few files, served without touching the disk again. */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { RESEARCHER_PAGE_PATH } from '@sallyport/contract/words'
import type { Reply } from '../../exchange.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
}

/** The page talks to the gate alone, runs its own files alone, and cannot be framed. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Reads the files of a folder, by the path under which each is served. Rejects where it cannot be read. */
export async function loadPageFiles(directory: string): Promise<ReadonlyMap<string, Reply>> {
  const replies = new Map<string, Reply>()
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const name = relative(directory, file).split(sep).join('/')
    const path = RESEARCHER_PAGE_PATH + (name === 'index.html' ? '' : name)
    replies.set(path, replyOf(await readFile(file), type, name.startsWith('assets/')))
  }
  return replies
}

/** Files under `assets/` carry a hash of their content in their name, so they never change. */
const replyOf = (body: Buffer, type: string, immutable: boolean): Reply => ({
  kind: 'reply',
  status: 200,
  headers: [
    ...['Content-Type', type],
    ...['Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache'],
    ...['Content-Security-Policy', POLICY],
    ...['X-Content-Type-Options', 'nosniff'],
    ...['Referrer-Policy', 'no-referrer'],
  ],
  body,
  recorded: false,
})
