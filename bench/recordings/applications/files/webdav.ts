/** WebDAV: folders of nginx that a client of npm and Debian's cadaver work in. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../../../../test/support/loopback.ts'
import { directUrl, runClient } from '../../clients.ts'
import type { RecordedApplication, RecordingSession } from '../../session.ts'

/** The server, recorded with two clients. */
export const webdav: RecordedApplication = {
  name: 'webdav',
  what: 'shared folders',
  debian: ['nginx', 'libnginx-mod-http-dav-ext', 'cadaver'],
  npm: { webdav: '5.11.0' },
  record,
}

async function record(session: RecordingSession): Promise<void> {
  const { author, folder } = session
  const port = await startServer(session)
  session.route('files', { port })
  const folders: string[] = ['']
  await session.repeat(async () => {
    const acts = Array.from({ length: 60 }, () => command(session, folders))
    const input = { url: directUrl(session, 'files'), acts }
    await runClient(session, 'webdav', SCRIPT, input)
    if (author.chance(0.1)) await useCadaver(session, folder)
  })
}

/** What is done by the client, as its method and arguments. */
type Act = readonly [method: string, ...args: unknown[]]

const nameOf = (text: string): string =>
  text
    .replace(/[/\n\\\0]/g, ' ')
    .trim()
    .slice(0, 80) || 'note'

function command({ author }: RecordingSession, folders: string[]): Act {
  const within = author.pick(folders)
  const path = `${within}/${nameOf(author.chance(0.5) ? author.title() : author.file().name)}`
  const kind = author.integer(9)
  if (kind === 0) {
    folders.push(path)
    return ['createDirectory', path]
  }
  if (kind < 3) return ['putFileContents', path, { base64: author.file().buffer.toString('base64') }]
  if (kind === 3) return ['putFileContents', `${path}.txt`, author.article(3)]
  if (kind === 4) return ['putFileContents', `${path}.csv`, author.csv(20)]
  if (kind === 5)
    return ['putFileContents', `${path}.${author.snippet().language}`, author.snippet().text, 'code']
  if (kind === 6) return ['getDirectoryContents', within === '' ? '/' : within]
  if (kind === 7) return ['moveFile', path, `${path} (2)`]
  return ['exists', path]
}

const SCRIPT = `
const { url, acts } = input
const client = library.createClient(url)
for (const [method, path, content] of acts)
  await client[method](path, content?.base64 === undefined ? content : Buffer.from(content.base64, 'base64')).catch(() => undefined)
`

async function useCadaver({ author, proxyUrl }: RecordingSession, folder: string): Promise<void> {
  const file = join(folder, nameOf(author.title()))
  writeFileSync(file, author.article(2))
  const proxy = new URL(proxyUrl).port
  const child = spawn('cadaver', ['-p', `127.0.0.1:${proxy}`, 'http://files.example.org/'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.end(`ls\nput "${file}"\nmkcol "${nameOf(author.title()).replaceAll('"', '')}"\nls\nquit\n`)
  await once(child, 'exit')
}

async function startServer(session: RecordingSession): Promise<number> {
  const { folder } = session
  const root = join(folder, 'root')
  mkdirSync(root)
  for (const each of [folder, root]) chmodSync(each, 0o777)
  const [port = 0] = await freePorts(1)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `load_module /usr/lib/nginx/modules/ngx_http_dav_ext_module.so;
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log; user root;
events { worker_connections 64; }
http {
  access_log off; client_max_body_size 20m; client_body_temp_path ${folder}/body;
  ${['proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  server {
    listen 127.0.0.1:${port}; root ${root};
    dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS; create_full_put_path on;
  }
}
`,
  )
  await session.start('nginx', ['-c', file], { cwd: folder, port })
  return port
}
