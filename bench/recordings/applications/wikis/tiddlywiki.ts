/** TiddlyWiki on Node.js: a notebook in one page, which sends each note that is written to its server. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { freePorts } from '../../../../test/support/loopback.ts'
import type { RecordedApplication, RecordingSession } from '../../session.ts'

/** The application, recorded in a browser. */
export const tiddlywiki: RecordedApplication = {
  name: 'tiddlywiki',
  what: 'a notebook',
  npm: { tiddlywiki: '5.4.1' },
  record,
}

/** A note, by the names of TiddlyWiki's fields. */
interface Note {
  readonly title: string
  readonly text: string
  readonly tags: readonly string[]
  readonly type?: string
}

async function record(session: RecordingSession): Promise<void> {
  const { author, folder, installed } = session
  const [port = 0] = await freePorts(1)
  const program = join(installed, 'node_modules/tiddlywiki/tiddlywiki.js')
  const notes = join(folder, 'notes')
  execFileSync(process.execPath, [program, notes, '--init', 'server'])
  await session.start(process.execPath, [program, notes, '--listen', `port=${port}`], { cwd: folder, port })
  const page = await session.openPage()
  await page.goto(session.route('notes', { port }))
  const titles: string[] = []
  await session.repeat(async (round) => {
    if (round % 50 === 49) await page.reload()
    if (author.chance(0.3)) await session.carryingCode(() => save(page, technicalNote(session)))
    else {
      const note = author.chance(0.15) ? imageNote(session) : plainNote(session)
      await save(page, note)
      titles.push(note.title)
    }
    if (author.chance(0.3) && titles.length > 0) await read(page, author.pick(titles))
    if (author.chance(0.1) && titles.length > 0) await remove(page, author.pick(titles))
  })
}

const plainNote = ({ author }: RecordingSession): Note => ({
  title: author.title(),
  text: author.article(1 + author.integer(5)),
  tags: [author.short(), author.person()],
})

function technicalNote({ author }: RecordingSession): Note {
  const { language, text } = author.snippet()
  const code = `\`\`\`${language}\n${text}\n\`\`\``
  return { title: author.title(), text: `${author.technicalParagraph()}\n\n${code}`, tags: [language] }
}

/** As TiddlyWiki keeps what is dropped onto it: the file as base64 in the text. */
function imageNote({ author }: RecordingSession): Note {
  const { name, mimeType, buffer } = author.file()
  return { title: name, text: buffer.toString('base64'), tags: [author.short()], type: mimeType }
}

/** What its pages are made of, as far as it is used here. */
interface TiddlyWikiWindow {
  readonly $tw: {
    readonly wiki: { addTiddler(tiddler: unknown): void; deleteTiddler(title: string): void }
    readonly syncer: { enqueueLoadTiddler(title: string): void }
    readonly Tiddler: new (...fields: unknown[]) => unknown
  }
}
type ThisWindow = typeof globalThis & TiddlyWikiWindow

/** Saves as its editor does when somebody is done; its syncer sends the note in the next second. */
async function save(page: Page, note: Note): Promise<void> {
  const sent = page.waitForResponse((answer) => answer.request().method() === 'PUT')
  const written = page.evaluate((fields) => {
    const { $tw } = globalThis as ThisWindow
    const now = new Date()
    $tw.wiki.addTiddler(new $tw.Tiddler({ created: now, modified: now }, fields))
  }, note)
  await Promise.all([sent, written])
}

const read = (page: Page, title: string): Promise<void> =>
  page.evaluate((title) => (globalThis as ThisWindow).$tw.syncer.enqueueLoadTiddler(title), title)

const remove = (page: Page, title: string): Promise<void> =>
  page.evaluate((title) => (globalThis as ThisWindow).$tw.wiki.deleteTiddler(title), title)
