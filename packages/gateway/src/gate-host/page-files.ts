/** The built researcher's page, read once into memory: a few files, served without touching the disk again. */
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
}

/** A file as it is served. */
export interface PageFile {
  readonly type: string
  readonly body: Buffer
  /** Its name carries a hash of its content, so it never changes. */
  readonly immutable: boolean
}

/** Reads the files of a folder, by the path under which each is served: that of `index.html` is `/`. Rejects where it cannot. */
export async function loadPageFiles(directory: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>()
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const name = relative(directory, file).split(sep).join('/')
    const path = `/${name === 'index.html' ? '' : name}`
    files.set(path, { type, body: await readFile(file), immutable: name.startsWith('assets/') })
  }
  return files
}
