/**
 * What people write, from files of Debian's packages: paragraphs of guides in twenty languages and of sayings, passages of
 * technical books, messages of a wiki in seventy languages, code in several languages. Nothing of it was written for a firewall.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** The packages that texts and files are read from. */
export const CONTENT_PACKAGES = [
  ...['installation-guide-amd64', 'debian-reference-en', 'debian-reference-ja', 'debian-reference-zh-cn'],
  ...[
    'fortunes',
    'fortunes-de',
    'fortunes-es',
    'fortunes-it',
    'fortunes-ru',
    'fortunes-br',
    'fortunes-cs',
    'fortunes-pl',
  ],
  ...['dokuwiki', 'python3', 'fonts-dejavu-core'],
]

/** A piece of source text. */
export interface Snippet {
  /** By its usual file name ending. */
  readonly language: string
  readonly text: string
}

export interface Texts {
  readonly prose: readonly string[]
  /** Prose with commands, paths and code in it. */
  readonly technical: readonly string[]
  readonly snippets: readonly Snippet[]
}

const PARAGRAPH_CHARS_MIN = 40
const PARAGRAPH_CHARS_MAX = 2_500
const SNIPPET_LINES = 40
const FILES_MAX = 1_500

/** Paths, commands and signs of code, which make prose technical. */
const TECHNICAL =
  /\/(?:bin|boot|dev|etc|home|lib|mnt|proc|tmp|usr|var)\b|[$#] \w+ -|[{}<>\\]|\w\(\)|=\S+,\S+=/

/** Reads all of it; takes a few seconds. */
export function readTexts(): Texts {
  const guide = filesIn('/usr/share/doc/installation-guide-amd64', '.html').flatMap((file) =>
    paragraphsOfHtml(readText(file), 'p'),
  )
  const sayings = filesIn('/usr/share/games/fortunes', '.u8').flatMap((file) =>
    readText(file).split(/^%.*$/m),
  )
  const messages = filesIn('/usr/share/dokuwiki/inc/lang', '.txt').flatMap((file) =>
    readText(file).split(/\n\s*\n/),
  )
  const texts = [...guide, ...sayings, ...messages].map((text) => text.trim()).filter(isParagraph)
  const book = filesIn('/usr/share/debian-reference', '.html')
    .flatMap((file) => paragraphsOfHtml(readText(file), 'p|pre'))
    .filter(isParagraph)
  return {
    prose: texts.filter((text) => !TECHNICAL.test(text)),
    technical: [...texts.filter((text) => TECHNICAL.test(text)), ...book],
    snippets: [
      ...snippetsIn('/usr/lib/python3.11', '.py'),
      ...snippetsIn('/usr/share/dokuwiki', '.php', '.js', '.css'),
      ...snippetsIn('/usr/share/bash-completion', ''),
      ...snippetsIn('/usr/share/perl', '.pm'),
      ...snippetsIn('/usr/share/mediawiki/maintenance', '.sql', '.php'),
      ...snippetsIn('/usr/share/doc/debian-reference-common', '.html', '.sh'),
    ],
  }
}

const readText = (file: string): string => readFileSync(file, 'utf8')

const isParagraph = ({ length }: string): boolean =>
  length >= PARAGRAPH_CHARS_MIN && length <= PARAGRAPH_CHARS_MAX

/** Files under a folder by their ending, in the order of their names; none where the folder is absent. */
export function filesIn(folder: string, ...endings: readonly string[]): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && endings.includes(extname(entry.name)))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
  } catch {
    return []
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', nbsp: ' ', amp: '&' }

function paragraphsOfHtml(html: string, elements: string): string[] {
  const element = new RegExp(`<(${elements})\\b[^>]*>([\\s\\S]*?)</\\1>`, 'g')
  return [...html.matchAll(element)].map(([, kind, inner = '']) => {
    const text = inner
      .replace(/<[^>]*>/g, '')
      .replace(/&(lt|gt|quot|nbsp|amp);/g, (_, name: string) => ENTITIES[name] ?? '')
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    return kind === 'pre' ? text.trim() : text.replace(/\s+/g, ' ').trim()
  })
}

function snippetsIn(folder: string, ...endings: readonly string[]): Snippet[] {
  const files = filesIn(folder, ...endings)
  const step = Math.max(1, Math.floor(files.length / FILES_MAX))
  return files
    .filter((_, index) => index % step === 0)
    .flatMap((file) => {
      const lines = readText(file).split('\n')
      const start = Math.max(0, Math.floor((lines.length - SNIPPET_LINES) / 2))
      const text = lines.slice(start, start + SNIPPET_LINES).join('\n')
      return text.trim() === '' ? [] : [{ language: extname(file).slice(1) || 'sh', text }]
    })
}
