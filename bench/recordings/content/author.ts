/** Somebody who writes: names, titles, articles, code, tables, tokens and files, the same ones on every run of a seed. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { randomFrom } from '../../../packages/firewall/test/support/benign.ts'
import { type Chance, logLine } from './log-lines.ts'
import { FAMILY_NAMES, GIVEN_NAMES, SHORT_TEXTS, STATUS_WORDS } from './names.ts'
import { filesIn, readTexts, type Snippet, type Texts } from './texts.ts'

/** A file to upload. */
export interface SampleFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

export interface Author extends Chance {
  chance(share: number): boolean
  person(): string
  email(): string
  /** What is typed into a box for a search or a name. */
  short(): string
  title(): string
  /** A letter-digit name that is safe in a path. */
  slug(): string
  paragraph(): string
  technicalParagraph(): string
  article(paragraphs: number): string
  snippet(): Snippet
  table(rows: number): string[][]
  csv(rows: number): string
  logLine(): string
  /** A JSON web token of made-up claims. */
  token(): string
  uuid(): string
  file(): SampleFile
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.gif': 'image/gif',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
  '.gz': 'application/gzip',
  '.pdf': 'application/pdf',
  '.mo': 'application/octet-stream',
  '.pyc': 'application/octet-stream',
}
const FILE_BYTES_MAX = 400_000

let texts: Texts | undefined
let files: readonly string[] | undefined

/** Files of every kind, as many of one as of another. */
function sampleFiles(): readonly string[] {
  const found = filesIn('/usr/share', ...Object.keys(MIME_TYPES)).filter(
    (file) => statSync(file).size <= FILE_BYTES_MAX,
  )
  return [...Map.groupBy(found, extname).values()].flatMap((each) => {
    const step = Math.max(1, Math.floor(each.length / 40))
    return each.filter((_, index) => index % step === 0)
  })
}

/** Makes an author; the first one reads the texts. */
export function createAuthor(seed: string): Author {
  texts ??= readTexts()
  files ??= sampleFiles()
  const [known, knownFiles] = [texts, files]
  const random = randomFrom(createHash('sha256').update(seed).digest().readInt32BE())
  const integer = (max: number): number => Math.floor(random() * max)
  const chance = (share: number): boolean => random() < share
  const pick = <T>(list: readonly T[]): T => {
    const picked = list[integer(list.length)]
    if (picked === undefined) throw new Error('an empty list to pick from')
    return picked
  }
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => integer(256)))
  const person = (): string => `${pick(GIVEN_NAMES)} ${pick(FAMILY_NAMES)}`
  const paragraph = (): string => pick(known.prose)
  const title = (): string => firstWords(pick(known.prose), 2 + integer(7))
  const short = (): string =>
    chance(0.5) ? pick(SHORT_TEXTS) : chance(0.5) ? person() : firstWords(paragraph(), 1 + integer(4))
  const uuid = (): string =>
    bytes(16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const slug = (): string => `${pick(SLUG_WORDS)}-${pick(SLUG_WORDS)}-${integer(10_000)}`
  const email = (): string =>
    `${pick(SLUG_WORDS)}.${pick(SLUG_WORDS)}${chance(0.3) ? '+list' : ''}@example.org`
  const table = (rows: number): string[][] =>
    Array.from({ length: rows }, (_, row) => [
      String(row + 1),
      person(),
      pick(STATUS_WORDS),
      (random() * 5_000).toFixed(2),
      `20${10 + integer(17)}-0${1 + integer(9)}-${10 + integer(18)}`,
      short(),
    ])
  return {
    integer,
    chance,
    pick,
    person,
    email,
    short,
    title,
    slug,
    paragraph,
    technicalParagraph: () => pick(known.technical),
    article: (paragraphs) => Array.from({ length: paragraphs }, paragraph).join('\n\n'),
    snippet: () => pick(known.snippets),
    table,
    csv: (rows) =>
      table(rows)
        .map((row) => row.map(csvField).join(','))
        .join('\n'),
    logLine: () => logLine({ integer, pick }, person(), uuid()),
    token: () =>
      jsonWebToken(
        { sub: uuid(), name: person(), email: email(), iat: 1_790_000_000 + integer(9_999_999) },
        bytes(256),
      ),
    uuid,
    file: () => {
      const path = pick(knownFiles)
      const mimeType = MIME_TYPES[extname(path)] ?? 'application/octet-stream'
      return {
        name: chance(0.3) ? `${short().slice(0, 60).replace(/[/\n]/g, ' ')}${extname(path)}` : basename(path),
        mimeType,
        buffer: readFileSync(path),
      }
    },
  }
}

const SLUG_WORDS = [
  'harbour',
  'invoice',
  'summer',
  'release',
  'garden',
  'kitchen',
  'atlas',
  'quarter',
  'minutes',
  'select',
  'union',
  'night',
  'table',
  'sleep',
  'budget',
  'onboarding',
]

const firstWords = (text: string, count: number): string =>
  text.split(/\s+/).slice(0, count).join(' ').slice(0, 120)

const csvField = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const jsonWebToken = (claims: object, signature: Buffer): string =>
  [Buffer.from('{"alg":"RS256","typ":"JWT","kid":"2026-05"}'), Buffer.from(JSON.stringify(claims)), signature]
    .map((part) => part.toString('base64url'))
    .join('.')
