/** Servers from Debian's packages, started for a test on a free port of loopback and ended with it. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { bareEnvironment } from '../../support/environment.ts'
import { freePorts } from '../../support/loopback.ts'
import { type Ending, temporaryFolder } from '../../support/temporary-folder.ts'

export interface RunningServer {
  readonly port: number
  /** A directory of its own, removed with the test. */
  readonly directory: string
}

/** Why a test has to be skipped: a program that it needs is not installed. False where all are. */
export function without(...programs: readonly string[]): string | false {
  const absent = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
  return absent.length > 0 && `not installed: ${absent.join(', ')} (see .ci/run)`
}

/** A section of nginx for one server, with all that it writes in its own directory. */
const httpServer = (directory: string, port: number, server: string): string => `http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  server {
    listen 127.0.0.1:${port};
    ${server}
  }
}`

/** nginx with one section beside what every one of them has; resolves when it listens on `port`. */
async function startNginx(
  context: Ending,
  directory: string,
  port: number,
  section: string,
  module?: string,
): Promise<void> {
  const configuration = join(directory, 'nginx.conf')
  const errors = join(directory, 'error.log')
  const general = `${module ? `load_module ${module};\n` : ''}daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log ${errors};
events { worker_connections 64; }
`
  writeFileSync(configuration, `${general}${section}\n`)
  await start(context, spawn('nginx', ['-c', configuration, '-e', errors], quiet()), port)
}

const NGINX_DAV_MODULE = '/usr/lib/nginx/modules/ngx_http_dav_ext_module.so'
export const withoutNginxDav: string | false =
  without('nginx') ||
  (!existsSync(NGINX_DAV_MODULE) && 'not installed: libnginx-mod-http-dav-ext (see .ci/run)')

/** nginx with a folder that WebDAV may change all of: `files` are in it, by their paths. */
export async function startNginxDav(
  context: Ending,
  files: Readonly<Record<string, string>>,
): Promise<RunningServer> {
  const directory = temporaryDirectory(context)
  const root = join(directory, 'root')
  mkdirSync(root)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  // As root, nginx serves with the rights of nobody.
  spawnSync('chmod', ['-R', 'a+rwX', directory])
  const [port = 0] = await freePorts(1)
  const server = `root ${root};
    dav_methods PUT DELETE MKCOL COPY MOVE;
    dav_ext_methods PROPFIND OPTIONS;
    create_full_put_path on;`
  await startNginx(context, directory, port, httpServer(directory, port, server), NGINX_DAV_MODULE)
  return { port, directory: root }
}

const NGINX_STREAM_MODULE = '/usr/lib/nginx/modules/ngx_stream_module.so'
export const withoutNginxStream: string | false =
  without('nginx') || (!existsSync(NGINX_STREAM_MODULE) && 'not installed: libnginx-mod-stream (see .ci/run)')

/** nginx as a load balancer that says by the PROXY protocol who asks it; a port for each of `targets`. */
export async function startNginxStream(
  context: Ending,
  targets: readonly number[],
): Promise<readonly number[]> {
  const directory = temporaryDirectory(context)
  const ports = await freePorts(targets.length)
  const servers = targets.map(
    (target, index) =>
      `server { listen 127.0.0.1:${ports[index]}; proxy_pass 127.0.0.1:${target}; proxy_protocol on; }`,
  )
  const section = `stream { ${servers.join(' ')} }`
  await startNginx(context, directory, ports[0] ?? 0, section, NGINX_STREAM_MODULE)
  return ports
}

/** nginx as a reverse proxy that says by headers who asks it, before what is at `target`. */
export async function startNginxProxy(context: Ending, target: number): Promise<RunningServer> {
  const directory = temporaryDirectory(context)
  const [port = 0] = await freePorts(1)
  const server = `location / {
      proxy_pass http://127.0.0.1:${target};
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto https;
    }`
  await startNginx(context, directory, port, httpServer(directory, port, server))
  return { port, directory }
}

/** Where a shipped configuration finds things in a test. */
export interface ShippedPlaces {
  /** Servers, separated as the proxy separates them. */
  readonly controls: string
  readonly gateways: string
  readonly port: number
  readonly plainPort: number
  readonly controlHost: string
  /** A folder with `sallyport` and `gate`, each as `.crt` and `.key`. */
  readonly certificates: string
}

/** What the shipped nginx.conf names, and what stands there in a test. */
export const shippedPlaces = (places: ShippedPlaces): Readonly<Record<string, string>> => ({
  '127.0.0.1:7070': places.controls,
  '127.0.0.1:7080': places.gateways,
  'listen 443': `listen 127.0.0.1:${places.port}`,
  'listen 80': `listen 127.0.0.1:${places.plainPort}`,
  'sallyport.example.com': places.controlHost,
  'gate.example.com': 'gate.localhost',
  '/etc/nginx/tls': places.certificates,
  'worker_processes auto': 'worker_processes 1',
})

/**
 * nginx with a whole configuration, on a port of loopback. `replacements` are made in it before: each must be there. What it writes goes
 * into a directory of its own. Resolves with what `nginx -t` said of it when it listens.
 */
export async function startNginxWith(
  context: Ending,
  configuration: string,
  replacements: Readonly<Record<string, string>>,
  port: number,
): Promise<string> {
  const directory = temporaryDirectory(context)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(directory, name)};`,
  )
  const text = replaced(configuration.replace('\nhttp {', `\nhttp {\n${temporary.join('\n')}`), replacements)
  const file = join(directory, 'nginx.conf')
  writeFileSync(file, text)
  const pid = `pid ${join(directory, 'nginx.pid')};`
  const given = ['-c', file, '-e', join(directory, 'error.log')]
  const checked = spawnSync('nginx', [...given, '-t', '-g', pid], { encoding: 'utf8', env: bareEnvironment })
  assert.equal(checked.status, 0, checked.stderr)
  await start(context, spawn('nginx', [...given, '-g', `daemon off; ${pid}`], quiet()), port)
  return checked.stderr
}

/** A configuration with other text in the place of what it names; each name must be there. */
export function replaced(configuration: string, replacements: Readonly<Record<string, string>>): string {
  let text = configuration
  for (const [from, to] of Object.entries(replacements)) {
    assert.ok(text.includes(from), `the configuration has no ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

/** gunicorn as it comes, with an application of one file. */
export async function startGunicorn(context: Ending, application: string): Promise<RunningServer> {
  const directory = temporaryDirectory(context)
  writeFileSync(join(directory, 'application.py'), application)
  const [port = 0] = await freePorts(1)
  const options = ['--chdir', directory, '--bind', `127.0.0.1:${port}`, '--worker-tmp-dir', directory]
  await start(context, spawn('gunicorn', [...options, 'application:application'], quiet()), port)
  return { port, directory }
}

/** puma with an application of Rack. */
export async function startPuma(context: Ending, application: string): Promise<RunningServer> {
  const directory = temporaryDirectory(context)
  writeFileSync(join(directory, 'config.ru'), application)
  const [port = 0] = await freePorts(1)
  const options = [
    '--bind',
    `tcp://127.0.0.1:${port}`,
    '--dir',
    directory,
    '--threads',
    '1:2',
    '--workers',
    '0',
  ]
  await start(context, spawn('puma', [...options, join(directory, 'config.ru')], quiet()), port)
  return { port, directory }
}

/** The server of Python's standard library, which runs the scripts of `cgi-bin` with the rest of a path as PATH_INFO. */
export async function startPythonCgi(context: Ending, name: string, script: string): Promise<RunningServer> {
  const directory = temporaryDirectory(context)
  mkdirSync(join(directory, 'cgi-bin'))
  writeFileSync(join(directory, 'cgi-bin', name), script)
  chmodSync(join(directory, 'cgi-bin', name), 0o755)
  spawnSync('chmod', ['-R', 'a+rX', directory])
  const [port = 0] = await freePorts(1)
  const options = ['-m', 'http.server', '--cgi', '--bind', '127.0.0.1', '--directory', directory, `${port}`]
  await start(context, spawn('python3', options, { ...quiet(), cwd: directory }), port)
  return { port, directory }
}

/** How a server is spawned whose words matter only where it fails. */
export const quiet = () => ({
  stdio: ['ignore', 'ignore', 'pipe'] as ['ignore', 'ignore', 'pipe'],
  env: bareEnvironment,
})

/** A directory that everybody may pass, removed with the test. */
export function temporaryDirectory(context: Ending): string {
  const directory = temporaryFolder(context)
  chmodSync(directory, 0o755)
  return directory
}

/** Waits until a server takes connections, and has it ended with the test. */
export async function start(
  context: Ending,
  child: ChildProcess,
  port: number,
  ending: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  const exited = once(child, 'exit')
  context.after(async () => {
    child.kill(ending)
    await exited
  })
  for (let waited = 0; waited < 20_000; waited += 50) {
    assert.equal(child.exitCode, null, `the server ended: ${said}`)
    if (await takesConnections(port)) return
    await delay(50)
  }
  assert.fail(`the server does not listen: ${said}`)
}

/** Whether something listens on a port of loopback. */
export async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
