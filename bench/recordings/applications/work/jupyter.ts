/** Jupyter Notebook: documents of prose and code that their page saves, files that are uploaded and edited. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { freePorts } from '../../../../test/support/loopback.ts'
import type { RecordedApplication, RecordingSession } from '../../session.ts'

/** The application, recorded in a browser. */
export const jupyter: RecordedApplication = {
  name: 'jupyter',
  debian: ['jupyter-notebook'],
  what: 'notebooks of code',
  record,
}

interface Cell {
  readonly kind: 'markdown' | 'code'
  readonly text: string
}

async function record(session: RecordingSession): Promise<void> {
  const { author, folder } = session
  const books = join(folder, 'books')
  mkdirSync(books)
  const [port = 0] = await freePorts(1)
  const settings = [
    'token=',
    'password=',
    'allow_remote_access=True',
    'open_browser=False',
    `notebook_dir=${books}`,
  ]
  const options = settings.map((setting) => `--NotebookApp.${setting}`)
  const args = ['--allow-root', '--ip=127.0.0.1', `--port=${port}`, ...options]
  await session.start('jupyter-notebook', args, { cwd: folder, port })
  const url = session.route('lab', { port })
  const page = await session.openPage()
  await session.repeat(async () => {
    await page.goto(`${url}/tree?sort=modified`)
    await page.waitForFunction(() => 'Jupyter' in globalThis)
    await create(page, url)
    for (let save = 0; save < 8; save++) {
      const cells = Array.from({ length: 3 }, (): Cell => cell(session))
      const isCode = cells.some(({ kind }) => kind === 'code')
      const write = () => extend(page, cells, author.title())
      await (isCode ? session.carryingCode(write) : write())
    }
    await upload(page, url, session)
  })
}

function cell({ author }: RecordingSession): Cell {
  if (author.chance(0.6))
    return { kind: 'markdown', text: `## ${author.title()}\n\n${author.article(1 + author.integer(2))}` }
  return { kind: 'code', text: author.snippet().text }
}

/** What its pages have of their own client. */
interface NotebookWindow {
  readonly Jupyter: {
    readonly notebook: {
      insert_cell_at_bottom(kind: string): { set_text(text: string): void }
      set_notebook_name(name: string): void
      save_notebook(): Promise<void>
      rename(name: string): Promise<void>
    }
  }
}
type ThisWindow = typeof globalThis & NotebookWindow

/** A new document, as the menu of the list makes one. */
async function create(page: Page, url: string): Promise<void> {
  const path = await page.evaluate(async () => {
    const token = /\b_xsrf=([^;]*)/.exec(document.cookie)?.[1] ?? ''
    const headers = { 'Content-Type': 'application/json', 'X-XSRFToken': token }
    const response = await fetch('/api/contents', { method: 'POST', headers, body: '{"type":"notebook"}' })
    return String((await response.json()).path)
  })
  await page.goto(`${url}/notebooks/${encodeURIComponent(path)}`)
  await page.waitForFunction(() => Reflect.get(globalThis, 'Jupyter')?.notebook?._fully_loaded === true)
}

/** Writes into the open document and saves it, and now and then renames it. */
const extend = (page: Page, cells: readonly Cell[], name: string): Promise<void> =>
  page.evaluate(
    async ([cells, name]) => {
      const { notebook } = (globalThis as ThisWindow).Jupyter
      for (const { kind, text } of cells) notebook.insert_cell_at_bottom(kind).set_text(text)
      await notebook.save_notebook()
      if (name.length % 4 === 0)
        await notebook.rename(`${name.replace(/[/\\:]/g, ' ')}.ipynb`).catch(() => undefined)
    },
    [cells, name] as const,
  )

/** As the list does with a file that is dropped onto it. */
async function upload(page: Page, url: string, { author }: RecordingSession): Promise<void> {
  const { name, mimeType, buffer } = author.file()
  await page.goto(`${url}/tree`)
  await page.locator('input.fileinput').first().setInputFiles({ name, mimeType, buffer })
  await page.locator('.upload_button').first().click()
  await page.waitForTimeout(500)
  await page.goto(`${url}/files/${encodeURIComponent(name)}`).catch(() => undefined)
}
