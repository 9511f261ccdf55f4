/** WordPress: its installer, posts by the block editor, comments by visitors, media, searches, settings. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { RecordedApplication, RecordingSession } from '../../session.ts'
import { startMariaDb } from '../servers/mariadb.ts'
import { copyApplication, servePhp } from '../servers/php.ts'

const DATABASE = 'wordpress'
const ADMIN = 'ada'
const PASSWORD = 'correct horse; battery & staple'

/** The application, recorded in a browser. */
export const wordpress: RecordedApplication = {
  name: 'wordpress',
  what: 'a site with articles',
  debian: [
    'wordpress',
    'wordpress-theme-twentytwentythree',
    'mariadb-server',
    'php-cli',
    'php-mysql',
    'php-gd',
  ],
  record,
}

async function record(session: RecordingSession): Promise<void> {
  const { author } = session
  const url = await servePhp(session, 'journal', await install(session))
  const page = await session.openPage()
  await setUp(page, url, author.title())
  await openEditor(page, url)
  let posts = 1
  await session.repeat(async (round) => {
    const isTechnical = author.chance(0.25)
    const content = isTechnical ? technicalPost(session) : plainPost(session)
    const write = () => publish(page, author.title(), content, author.paragraph())
    await (isTechnical ? session.carryingCode(write) : write())
    posts += 1
    if (author.chance(0.5)) await askEditor(page, session)
    if (author.chance(0.4)) await uploadMedia(page, session)
    if (round % 4 === 3) {
      await visit(page, url, session, posts)
      await openEditor(page, url)
    }
  })
}

async function install(session: RecordingSession): Promise<string> {
  const { port, user, password } = await startMariaDb(session, DATABASE)
  const root = copyApplication(session, '/usr/share/wordpress')
  mkdirSync(join(root, 'wp-content/uploads'), { recursive: true })
  writeFileSync(
    join(root, 'wp-config.php'),
    `<?php
define('DB_NAME', '${DATABASE}'); define('DB_USER', '${user}'); define('DB_PASSWORD', '${password}');
define('DB_HOST', '127.0.0.1:${port}'); define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('AUTH_KEY', 'one'); define('SECURE_AUTH_KEY', 'two'); define('LOGGED_IN_KEY', 'three'); define('NONCE_KEY', 'four');
define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true); define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_HOME', 'https://journal.example.org'); define('WP_SITEURL', 'https://journal.example.org');
define('WP_DEBUG', false); define('WP_DEBUG_DISPLAY', false); define('ALLOW_UNFILTERED_UPLOADS', true);
$table_prefix = 'wp_'; $_SERVER['HTTPS'] = 'on';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`,
  )
  return root
}

async function setUp(page: Page, url: string, title: string): Promise<void> {
  await page.goto(`${url}/wp-admin/install.php?step=1`)
  await page.locator('#weblog_title').fill(title)
  await page.locator('#user_login').fill(ADMIN)
  await page.locator('#pass1').fill(PASSWORD)
  await page.locator('#admin_email').fill('ada@example.org')
  await page.locator('#submit').click()
  await page.goto(`${url}/wp-login.php?redirect_to=${encodeURIComponent(`${url}/wp-admin/`)}&reauth=1`)
  await page.locator('#user_login').fill(ADMIN)
  await page.locator('#user_pass').fill(PASSWORD)
  await page.locator('#wp-submit').click()
  await page.waitForURL('**/wp-admin/**')
}

/** What the block editor's page has of its own client. */
interface EditorWindow {
  readonly wp: {
    readonly data: {
      dispatch(store: string): {
        editPost(post: object): Promise<void>
        savePost(): Promise<void>
        autosave(): Promise<void>
      }
    }
    readonly apiFetch: (request: object) => Promise<unknown>
  }
}
type ThisWindow = typeof globalThis & EditorWindow

async function openEditor(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/wp-admin/post-new.php`)
  await page.waitForFunction(() => 'wp' in globalThis && (globalThis as ThisWindow).wp.data !== undefined)
  await page.waitForTimeout(1_000)
}

const block = (name: string, html: string, settings = ''): string =>
  `<!-- wp:${name}${settings} -->\n${html}\n<!-- /wp:${name} -->`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function plainPost({ author }: RecordingSession): string {
  const cells = author
    .table(3)
    .map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`)
  const parts = [
    block('heading', `<h2>${escaped(author.title())}</h2>`),
    ...Array.from({ length: 1 + author.integer(4) }, () =>
      block('paragraph', `<p>${escaped(author.paragraph())}</p>`),
    ),
    block(
      'quote',
      `<blockquote class="wp-block-quote"><p>${escaped(author.paragraph())}</p><cite>${escaped(author.person())}</cite></blockquote>`,
    ),
  ]
  if (author.chance(0.4))
    parts.push(
      block(
        'table',
        `<figure class="wp-block-table"><table><tbody>${cells.join('')}</tbody></table></figure>`,
      ),
    )
  if (author.chance(0.4))
    parts.push(
      block(
        'image',
        `<figure class="wp-block-image size-large"><img src="/wp-content/uploads/a.png" alt="${author.slug()}"/></figure>`,
        ' {"id":12,"sizeSlug":"large"}',
      ),
    )
  return parts.join('\n\n')
}

function technicalPost({ author }: RecordingSession): string {
  const paragraph = block('paragraph', `<p>${escaped(author.technicalParagraph())}</p>`)
  return `${paragraph}\n\n${block('code', `<pre class="wp-block-code"><code>${escaped(author.snippet().text)}</code></pre>`)}`
}

/** Writes into the editor's state and has it saved: as a draft, again by itself, then for everybody. */
const publish = (page: Page, title: string, content: string, excerpt: string): Promise<void> =>
  page.evaluate(
    async ([title, content, excerpt]) => {
      const editor = (globalThis as ThisWindow).wp.data.dispatch('core/editor')
      await editor.editPost({ title, content: content.slice(0, Math.floor(content.length / 2)) })
      await editor.autosave()
      await editor.editPost({ title, content, excerpt, status: 'publish' })
      await editor.savePost()
    },
    [title, content, excerpt] as const,
  )

/** Asks what its side bars ask while somebody writes. */
async function askEditor(page: Page, { author }: RecordingSession): Promise<void> {
  const search = encodeURIComponent(author.short())
  const requests = [
    {
      path: `/wp/v2/tags?per_page=20&orderby=count&order=desc&_fields=id%2Cname&search=${search}&_locale=user`,
    },
    { path: `/wp/v2/search?search=${search}&per_page=20&type=post&_locale=user` },
    { path: '/wp/v2/tags', method: 'POST', data: { name: author.short() } },
    {
      path: '/wp/v2/categories',
      method: 'POST',
      data: { name: author.short(), description: author.paragraph() },
    },
    { path: `/wp/v2/users/?who=authors&per_page=50&search=${encodeURIComponent(author.person())}` },
    { path: '/wp/v2/settings', method: 'POST', data: { title: author.title(), description: author.short() } },
  ]
  await page.evaluate(async (requests) => {
    for (const request of requests)
      await (globalThis as ThisWindow).wp.apiFetch(request).catch(() => undefined)
  }, requests)
}

async function uploadMedia(page: Page, { author }: RecordingSession): Promise<void> {
  const { name, mimeType, buffer } = author.file()
  await page.evaluate(
    async ([name, type, base64, caption]) => {
      const bytes = await (await fetch(`data:${type};base64,${base64}`)).arrayBuffer()
      const body = new FormData()
      body.append('file', new File([bytes], name, { type }))
      body.append('caption', caption)
      await (globalThis as ThisWindow).wp
        .apiFetch({ path: '/wp/v2/media', method: 'POST', body })
        .catch(() => undefined)
    },
    [name, mimeType, buffer.toString('base64'), author.short()] as const,
  )
}

/** Reads, searches and comments as visitors do, and lists as authors do. */
async function visit(page: Page, url: string, { author }: RecordingSession, posts: number): Promise<void> {
  await page.goto(`${url}/?s=${encodeURIComponent(author.short())}`)
  await page.goto(`${url}/?p=${1 + author.integer(posts * 3)}`)
  const comment = page.locator('#comment')
  if ((await comment.count()) > 0) {
    await comment.fill(author.paragraph())
    await page.locator('#submit').click()
    await page.waitForLoadState()
  }
  const search = encodeURIComponent(author.short())
  await page.goto(
    `${url}/wp-admin/edit.php?s=${search}&post_status=all&post_type=post&action=-1&m=0&cat=0&paged=1`,
  )
  await page.goto(`${url}/wp-admin/upload.php?mode=list&s=${search}`)
  await page.goto(`${url}/wp-admin/profile.php`)
  await page.locator('#first_name').fill(author.person())
  await page.locator('#description').fill(author.paragraph())
  await page.locator('#submit').click()
  await page.waitForLoadState()
}
