/** Where the build of the console puts its pages. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of a built page; null where it was not built, and then it is not served. */
export function consoleFolder(page: 'console' | 'researcher'): string | null {
  const folder = join(import.meta.dirname, '../../../console/dist', page)
  return existsSync(folder) ? folder : null
}
