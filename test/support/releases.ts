/** The releases of this repository, which are its tags `v*`, with the migrations that each brought. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/** Folders of migrations, from the root. */
export const MIGRATION_FOLDERS = {
  database: 'packages/control/src/database/migrations',
  traffic: 'packages/control/src/traffic-store/migrations',
} as const

/** A file of a release. */
export interface ReleasedFile {
  readonly name: string
  readonly text: string
}

export interface Release {
  readonly tag: string
  /** In their order. */
  readonly migrations: Readonly<Record<keyof typeof MIGRATION_FOLDERS, readonly ReleasedFile[]>>
}

/** Those that lead to what is checked out, oldest first. None where no history is, as in an archive or a shallow clone. */
export function listReleases(root = ROOT): readonly Release[] {
  if (!existsSync(join(root, '.git'))) return []
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' })
  const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')
  const filesOf = (tag: string, folder: string): ReleasedFile[] =>
    linesOf(git('ls-tree', '--name-only', tag, `${folder}/`)).map((path) => ({
      name: basename(path),
      text: git('show', `${tag}:${path}`),
    }))
  return linesOf(git('tag', '--list', 'v[0-9]*', '--merged', 'HEAD', '--sort=version:refname')).map(
    (tag) => ({
      tag,
      migrations: {
        database: filesOf(tag, MIGRATION_FOLDERS.database),
        traffic: filesOf(tag, MIGRATION_FOLDERS.traffic),
      },
    }),
  )
}
