/** Technical prose as people wrote it: the README files of the packages that this project depends on. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const PACKAGES = resolve(import.meta.dirname, '../../../../node_modules')
const PARAGRAPH_CHARS_MIN = 20

/** The paragraphs of every README, code among them, in a steady order. */
export function documentParagraphs(): string[] {
  const texts = packageFolders().flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /^readme(?:\.\w+)?\.md$/i.test(name))
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  )
  const paragraphs = texts.flatMap((text) => text.split(/\n\s*\n/))
  return paragraphs.filter((paragraph) => paragraph.trim().length >= PARAGRAPH_CHARS_MIN)
}

function packageFolders(): string[] {
  const foldersIn = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => join(folder, entry.name))
      .sort()
  return foldersIn(PACKAGES).flatMap((folder) =>
    /[\\/]@[^\\/]+$/.test(folder) ? foldersIn(folder) : [folder],
  )
}
