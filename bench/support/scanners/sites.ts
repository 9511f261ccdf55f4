/** What stands behind the gate: the shop of the demo, made-up pages, and applications where they are installed. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { freePorts, listenOnLoopback } from '../../../test/support/loopback.ts'
import { startDemoOrigin } from '../../../tools/demo/origin.ts'
import { missingDebianPackages, startProgram } from '../../recordings/programs.ts'
import type { SiteName } from './sample.ts'

export interface Sites {
  readonly ports: ReadonlyMap<SiteName, number>
  close(): Promise<void>
}

const NODE_RED = resolve(import.meta.dirname, '../../../test/real-application/node_modules/node-red/red.js')

export async function startSites(folder: string): Promise<Sites> {
  const endings: (() => Promise<void>)[] = []
  const ports = new Map<SiteName, number>()
  const shop = await startDemoOrigin()
  ports.set('shop', Number(new URL(shop.url).port))
  endings.push(shop.close)
  const madeUp = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://made-up')
    const page = pageOf(pathname)
    response.writeHead(page === null ? 404 : 200, {
      'content-type': typeOf(pathname),
      'cache-control': 'no-cache',
    })
    response.end(page ?? 'There is no such page.')
  })
  ports.set('made-up', Number(new URL((await listenOnLoopback(madeUp)).url).port))
  endings.push(async () => {
    madeUp.closeAllConnections()
    madeUp.close()
  })
  const [prometheus = 0, nodeRed = 0] = await freePorts(2)
  if (missingDebianPackages(['prometheus']).length === 0) {
    const cwd = join(folder, 'prometheus')
    mkdirSync(cwd)
    const configuration = join(cwd, 'prometheus.yml')
    writeFileSync(
      configuration,
      `scrape_configs: [{job_name: own, static_configs: [{targets: ["127.0.0.1:${prometheus}"]}]}]\n`,
    )
    const args = [
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${cwd}/data`,
      `--web.listen-address=127.0.0.1:${prometheus}`,
    ]
    endings.push(await startProgram('prometheus', args, { cwd, port: prometheus }))
    ports.set('prometheus', prometheus)
  }
  if (existsSync(NODE_RED)) {
    const cwd = join(folder, 'node-red')
    mkdirSync(cwd)
    endings.push(
      await startProgram(process.execPath, [NODE_RED, '--userDir', cwd, '--port', String(nodeRed)], {
        cwd,
        port: nodeRed,
      }),
    )
    ports.set('node-red', nodeRed)
  }
  return {
    ports,
    close: async () => {
      for (const end of endings.reverse()) await end()
    },
  }
}

const typeOf = (path: string): string =>
  path.endsWith('.css')
    ? 'text/css'
    : path.endsWith('.svg')
      ? 'image/svg+xml'
      : path.startsWith('/api/')
        ? 'application/json'
        : 'text/html; charset=utf-8'

const SHELL = '<!doctype html><link rel="stylesheet" href="/style.css">'
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>'
const pictures = (isThere: (index: number) => boolean): string =>
  Array.from(
    { length: 40 },
    (_, index) => `<img alt="" src="/${isThere(index) ? 'pictures' : 'lost'}/${index}.svg">`,
  ).join('')
const POLLING = `<script>setInterval(() => { fetch('/api/news?since=' + Date.now()); fetch('/api/gone') }, 1000)</script>`

/** The page of a path; null where there is none. */
function pageOf(path: string): string | null {
  if (path === '/style.css') return 'body { margin: 1em }'
  if (/^\/pictures\/\d+\.svg$/.test(path)) return PICTURE
  if (path === '/api/news') return '[]'
  if (path === '/gallery') return SHELL + pictures((index) => index % 5 > 1)
  if (path === '/broken') return SHELL + pictures(() => false)
  if (path === '/polling') return SHELL + POLLING
  const chapter = Number(/^\/docs\/(\d{1,3})$/.exec(path)?.[1] ?? (path === '/' ? 0 : Number.NaN))
  if (!Number.isInteger(chapter) || chapter > 400) return null
  const links = [1, 2, 3, 7, 19].map((step) => `<a href="/docs/${(chapter + step) % 400}">Chapter</a>`)
  return `${SHELL}<h1>Chapter ${chapter}</h1>${links.join(' ')}<img alt="" src="/pictures/${chapter}.svg">`
}
