/** git over HTTP: repositories that are cloned, pushed to and fetched by git itself, and looked at in gitweb. */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { freePorts } from '../../../../test/support/loopback.ts'
import type { RecordedApplication, RecordingSession } from '../../session.ts'

const run = promisify(execFile)

/** The server, recorded with git and in a browser. */
export const git: RecordedApplication = {
  what: 'repositories',
  name: 'git',
  debian: ['git', 'gitweb', 'nginx', 'fcgiwrap'],
  record,
}

async function record(session: RecordingSession): Promise<void> {
  const { author, folder } = session
  const port = await startServer(session)
  const url = session.route('code', { port })
  const page = await session.openPage()
  const names: string[] = []
  await session.repeat(async (round) => {
    if (names.length === 0 || round % 5 === 0) {
      const name = `${author.slug()}.git`
      const bare = join(folder, 'repositories', name)
      await run('git', ['init', '--bare', '--initial-branch=main', bare])
      await run('git', ['-C', bare, 'config', 'http.receivepack', 'true'])
      names.push(name)
      await inRepository(session, name, join(folder, `clone-${round}`), true)
    } else await inRepository(session, author.pick(names), join(folder, `clone-${round}`), false)
    await session.carryingCode(() => look(page, url, session, author.pick(names)))
  })
}

/** Clones, commits files with messages, pushes on a branch, fetches. */
async function inRepository(
  session: RecordingSession,
  name: string,
  clone: string,
  isNew: boolean,
): Promise<void> {
  const { author, proxyUrl } = session
  const settings = [`http.proxy=${proxyUrl}`, `user.name=${author.person()}`, `user.email=${author.email()}`]
  const own = settings.flatMap((setting) => ['-c', setting])
  const act = (...args: string[]) => run('git', [...own, '-C', clone, ...args])
  await run('git', [...own, 'clone', '--quiet', `http://code.example.org/git/${name}`, clone])
  const branch = isNew ? 'main' : `${author.pick(['feature', 'fix', 'ада'])}/${author.slug()}`
  await act('checkout', '--quiet', '-B', branch)
  for (let commit = 0; commit < 2; commit++) {
    mkdirSync(join(clone, 'src'), { recursive: true })
    const { language, text } = author.snippet()
    writeFileSync(join(clone, 'src', `${author.slug()}.${language}`), text)
    writeFileSync(join(clone, `${author.slug()}.md`), author.article(3))
    await act('add', '.')
    await act('commit', '--quiet', '-m', author.title(), '-m', author.paragraph())
  }
  await act('push', '--quiet', 'origin', branch)
  await act('fetch', '--quiet', '--prune')
  await act('ls-remote', '--heads', 'origin')
}

/** Reads as people do who follow links: log, tree, file, difference, search. */
async function look(page: Page, url: string, { author }: RecordingSession, name: string): Promise<void> {
  const project = `${url}/gitweb.cgi?p=${name}`
  await page.goto(url)
  await page.goto(`${project};a=${author.pick(['log', 'shortlog', 'tree', 'heads'])};h=HEAD`)
  const links = await page
    .locator('a[href*="a=commit"], a[href*="a=blob"], a[href*="a=tree"], a[href*="a=commitdiff"]')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  for (let visit = 0; visit < 5 && links.length > 0; visit++)
    await page.goto(new URL(author.pick(links), page.url()).href)
  const kind = author.pick(['commit', 'grep', 'author', 'pickaxe'])
  await page.goto(`${project}&a=search&h=HEAD&st=${kind}&s=${encodeURIComponent(author.short())}`)
  await page.goto(`${project};a=rss;opt=--no-merges`).catch(() => undefined)
}

/** nginx with git's own CGI programs. */
async function startServer(session: RecordingSession): Promise<number> {
  const { folder } = session
  const repositories = join(folder, 'repositories')
  mkdirSync(repositories)
  chmodSync(folder, 0o777)
  const [port = 0, cgiPort = 0] = await freePorts(2)
  writeFileSync(
    join(folder, 'gitweb.conf'),
    `$projectroot = '${repositories}';
${['search', 'grep', 'pickaxe'].map((name) => `$feature{'${name}'}{'default'} = [1];`).join('\n')}
`,
  )
  const configuration = join(folder, 'nginx.conf')
  writeFileSync(
    configuration,
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log; user root;
events { worker_connections 64; }
http {
  access_log off; client_max_body_size 50m; client_body_temp_path ${folder}/body;
  ${['proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  server {
    listen 127.0.0.1:${port}; root /usr/share/gitweb;
    location /static/ { }
    location ~ ^/git(/.*)$ {
      include /etc/nginx/fastcgi_params;
      fastcgi_param GIT_PROJECT_ROOT ${repositories};
      fastcgi_param GIT_HTTP_EXPORT_ALL 1;
      fastcgi_param PATH_INFO $1;
      fastcgi_param SCRIPT_FILENAME /usr/lib/git-core/git-http-backend;
      fastcgi_pass 127.0.0.1:${cgiPort};
    }
    location / {
      include /etc/nginx/fastcgi_params;
      fastcgi_param GITWEB_CONFIG ${folder}/gitweb.conf;
      fastcgi_param SCRIPT_FILENAME /usr/share/gitweb/gitweb.cgi;
      fastcgi_pass 127.0.0.1:${cgiPort};
    }
  }
}
`,
  )
  const cgi = ['-c', '4', '-s', `tcp:127.0.0.1:${cgiPort}`]
  await session.start('fcgiwrap', cgi, { cwd: folder, port: cgiPort })
  await session.start('nginx', ['-c', configuration], { cwd: folder, port })
  return port
}
