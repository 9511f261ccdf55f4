/** MediaWiki: pages written as wikitext in a form, questions of its pages to its API, searches, uploads. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { RecordedApplication, RecordingSession } from '../../session.ts'
import { copyApplication, servePhp } from '../servers/php.ts'

const ADMIN = 'Ada'
const PASSWORD = 'correct horse battery'

/** The application, recorded in a browser. */
export const mediawiki: RecordedApplication = {
  name: 'mediawiki',
  what: 'a wiki',
  debian: ['mediawiki', 'php-cli', 'php-sqlite3', 'php-xml', 'php-mbstring', 'php-intl'],
  record,
}

async function record(session: RecordingSession): Promise<void> {
  const { author } = session
  const root = install(session)
  const url = await servePhp(session, 'encyclopedia', root)
  const page = await session.openPage()
  await logIn(page, url)
  const titles = ['Main Page']
  await session.repeat(async () => {
    const title = author
      .title()
      .replace(/[#<>[\]|{}_:/&?%+]/g, ' ')
      .trim()
    const address = `${url}/index.php?title=${encodeURIComponent(title)}`
    const isTechnical = author.chance(0.3)
    const text = isTechnical ? technicalPage(session) : plainPage(session)
    const write = () => edit(page, address, text, author.short())
    await (isTechnical ? session.carryingCode(write) : write())
    titles.push(title)
    await search(page, author.short())
    await askApi(page, session, author.pick(titles))
    if (author.chance(0.5)) await look(page, url, session, author.pick(titles))
    if (author.chance(0.3)) await upload(page, url, session)
  })
}

/** A copy with its database in the session's folder, set up by its own installer. */
function install(session: RecordingSession): string {
  const root = copyApplication(session, '/usr/share/mediawiki')
  const data = join(session.folder, 'data')
  mkdirSync(data)
  execFileSync(
    'php',
    [
      ...[join(root, 'maintenance/install.php'), '--dbtype=sqlite', `--dbpath=${data}`, '--dbname=wiki'],
      ...['--scriptpath=', '--server=https://encyclopedia.example.org', `--confpath=${root}`],
      ...[
        '--with-extensions=WikiEditor,Cite,ParserFunctions',
        '--skins=',
        `--pass=${PASSWORD}`,
        'Encyclopedia',
        ADMIN,
      ],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  appendFileSync(
    join(root, 'LocalSettings.php'),
    `\n$wgEnableUploads = true; $wgStrictFileExtensions = false; $wgCheckFileExtensions = false; $wgVerifyMimeType = false;
$wgJobRunRate = 0; wfLoadSkin('Vector'); $wgDefaultSkin = 'vector'; $wgMainCacheType = CACHE_NONE;\n`,
  )
  return root
}

async function logIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/index.php?title=Special:UserLogin`)
  await page.locator('#wpName1').fill(ADMIN)
  await page.locator('#wpPassword1').fill(PASSWORD)
  await page.locator('#wpLoginAttempt').click()
  await page.waitForLoadState()
}

function plainPage({ author }: RecordingSession): string {
  const rows = author.table(3).map((cells) => `|-\n| ${cells.join(' || ')}`)
  return [
    `'''${author.title()}''' ''${author.person()}''<ref>${author.short()}, {{cite|author=${author.person()}}}</ref>`,
    author.article(1 + author.integer(4)),
    `== ${author.title()} ==`,
    author.chance(0.4) ? `{| class="wikitable"\n${rows.join('\n')}\n|}` : author.paragraph(),
    `* [[${author.title()}|${author.short()}]]\n* [https://example.org/?q=1&r=2 ${author.short()}]\n[[Category:${author.slug()}]]`,
  ].join('\n\n')
}

function technicalPage({ author }: RecordingSession): string {
  const { language, text } = author.snippet()
  const code = `<syntaxhighlight lang="${language}">\n${text}\n</syntaxhighlight>`
  return `${author.technicalParagraph()}\n\n${code}\n\n<nowiki>${author.technicalParagraph()}</nowiki>`
}

async function edit(page: Page, address: string, text: string, summary: string): Promise<void> {
  await page.goto(`${address}&action=edit`)
  await page.locator('#wpTextbox1').fill(text)
  await page.locator('#wpSummary').fill(summary)
  if (text.length % 3 === 0) await page.locator('#wpPreview').click()
  if (text.length % 5 === 0) await page.locator('#wpDiff').click()
  await page.locator('#wpSave').click()
  await page.waitForLoadState()
}

async function search(page: Page, text: string): Promise<void> {
  const box = page.locator('#searchInput').first()
  await box.pressSequentially(text, { delay: 20 })
  await page.waitForTimeout(500)
  await box.press('Enter')
  await page.waitForLoadState()
}

/** As gadgets do, by the client that its pages bring. */
async function askApi(page: Page, { author }: RecordingSession, title: string): Promise<void> {
  const questions = [
    {
      action: 'query',
      prop: 'extracts|revisions|links',
      titles: `${title}|${author.title()}`,
      rvprop: 'ids|timestamp',
      redirects: 1,
    },
    {
      action: 'query',
      list: 'search',
      srsearch: `"${author.short()}" incategory:${author.slug()}`,
      srlimit: 20,
    },
    { action: 'parse', text: author.paragraph(), contentmodel: 'wikitext', prop: 'text|headhtml' },
    { action: 'opensearch', search: author.short(), limit: 10, namespace: '0|4' },
  ]
  await page.evaluate(async (questions) => {
    const { mw } = globalThis as typeof globalThis & {
      mw: {
        loader: { using(name: string): Promise<unknown> }
        Api: new () => { post(question: object): Promise<unknown>; get(question: object): Promise<unknown> }
      }
    }
    await mw.loader.using('mediawiki.api')
    const api = new mw.Api()
    for (const question of questions)
      await ('text' in question ? api.post(question) : api.get(question)).then(null, () => undefined)
  }, questions)
}

async function look(page: Page, url: string, { author }: RecordingSession, title: string): Promise<void> {
  const named = encodeURIComponent(title)
  const addresses = [
    `title=${named}&action=history`,
    `title=Special:WhatLinksHere/${named}&limit=50`,
    `title=Special:RecentChanges&days=30&hidebots=1&from=20260101000000`,
    `title=Special:Search&search=${encodeURIComponent(author.short())}&profile=advanced&fulltext=1&ns0=1&ns4=1`,
    `title=${named}&diff=cur&oldid=prev`,
    'title=Special:Version',
  ]
  await page.goto(`${url}/index.php?${author.pick(addresses)}`)
}

async function upload(page: Page, url: string, { author }: RecordingSession): Promise<void> {
  const { name, mimeType, buffer } = author.file()
  await page.goto(`${url}/index.php?title=Special:Upload`)
  await page.locator('#wpUploadFile').setInputFiles({ name, mimeType, buffer })
  await page.locator('#wpUploadDescription').fill(author.paragraph())
  await page.locator('input[name=wpUpload]').click()
  await page.waitForLoadState()
}
