/** DokuWiki: pages that are written in a form, with drafts, previews, searches and uploads. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { RecordedApplication, RecordingSession } from '../../session.ts'
import { copyApplication, servePhp } from '../servers/php.ts'

/** The application, recorded in a browser. */
export const dokuwiki: RecordedApplication = {
  name: 'dokuwiki',
  what: 'a wiki',
  debian: ['dokuwiki', 'php-cli', 'php-xml', 'php-mbstring'],
  record,
}

async function record(session: RecordingSession): Promise<void> {
  const { author } = session
  const url = await servePhp(session, 'wiki', install(session), 'return false;')
  const page = await session.openPage()
  const known = ['start']
  await session.repeat(async () => {
    const id = author.chance(0.5)
      ? author.title().replace(/[?#&/:]/g, ' ')
      : `${author.slug()}:${author.slug()}`
    const address = `${url}/doku.php?id=${encodeURIComponent(id)}`
    known.push(id)
    const summary = author.short()
    if (author.chance(0.3))
      await session.carryingCode(() => edit(page, address, technicalPage(session), summary))
    else await edit(page, address, plainPage(session), summary)
    if (author.chance(0.5)) await search(page, url, author.short())
    if (author.chance(0.4)) await look(page, url, session, author.pick(known))
    if (author.chance(0.3)) await upload(page, url, session)
  })
}

/** A copy with its configuration and its data in the session's folder; everybody may write. */
function install(session: RecordingSession): string {
  const root = copyApplication(session, '/usr/share/dokuwiki')
  cpSync('/etc/dokuwiki', join(root, 'conf'), { recursive: true, dereference: true })
  cpSync('/var/lib/dokuwiki/data', join(session.folder, 'data'), { recursive: true })
  const preload = join(root, 'inc/preload.php')
  const conf = join(root, 'conf/')
  const defines = `<?php define('DOKU_MAIN_CONF', '${conf}'); define('DOKU_CONF', '${conf}'); ?>`
  writeFileSync(preload, defines + readFileSync(preload, 'utf8'))
  writeFileSync(
    join(conf, 'local.php'),
    `<?php $conf['title'] = 'Team'; $conf['useacl'] = 0; $conf['savedir'] = '${session.folder}/data'; $conf['userewrite'] = 0;`,
  )
  return root
}

function plainPage({ author }: RecordingSession): string {
  const row = (cells: readonly string[], sign: string) => `${sign} ${cells.join(` ${sign} `)} ${sign}`
  const parts = [`====== ${author.title()} ======`, author.article(1 + author.integer(3))]
  if (author.chance(0.4)) parts.push(...author.table(4).map((cells) => row(cells, '|')))
  if (author.chance(0.5))
    parts.push(`  * [[${author.slug()}|${author.title()}]]\n  * **${author.short()}** //${author.person()}//`)
  if (author.chance(0.2))
    parts.push(`{{:${author.slug()}.png?200|${author.short()}}} [[https://example.org/?a=1&b=2|link]]`)
  return parts.join('\n\n')
}

function technicalPage({ author }: RecordingSession): string {
  const { language, text } = author.snippet()
  const heading = `===== ${author.title()} =====`
  return [
    heading,
    author.technicalParagraph(),
    `<code ${language}>\n${text}\n</code>`,
    author.technicalParagraph(),
  ].join('\n\n')
}

/** Writes a page by hand for its last words, so that drafts are kept meanwhile; looks at it; saves it. */
async function edit(page: Page, address: string, text: string, summary: string): Promise<void> {
  await page.goto(`${address}&do=edit`)
  const box = page.locator('#wiki__text')
  await box.fill(text)
  await box.press('End')
  await page.locator('#edit__summary').fill(summary)
  if (text.length % 3 === 0) {
    await page.locator('#edbtn__preview').click()
    await page.locator('#preview, .preview').first().waitFor()
  }
  await page.locator('#edbtn__save').click()
  await page.waitForLoadState()
}

async function search(page: Page, url: string, text: string): Promise<void> {
  await page.goto(`${url}/doku.php?id=start`)
  const box = page.locator('#qsearch__in')
  await box.pressSequentially(text, { delay: 30 })
  await page.waitForTimeout(600)
  await box.press('Enter')
  await page.waitForLoadState()
}

async function look(page: Page, url: string, { author }: RecordingSession, id: string): Promise<void> {
  const act = author.pick([
    'revisions',
    'backlink',
    'index',
    'recent',
    'diff',
    'export_raw&rev=0',
    'media',
    'subscribe',
  ])
  await page.goto(`${url}/doku.php?id=${encodeURIComponent(id)}&do=${act}`).catch(() => undefined)
}

async function upload(page: Page, url: string, { author }: RecordingSession): Promise<void> {
  const { name, mimeType, buffer } = author.file()
  await page.goto(`${url}/lib/exe/mediamanager.php?ns=&edid=wiki__text`)
  await page.locator('input[type=file]').first().setInputFiles({ name, mimeType, buffer })
  await page.getByRole('button', { name: 'Upload' }).first().click()
  await page.waitForTimeout(800)
}
