/** A command of Sallyport in a process of its own, to its end. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { bareEnvironment } from '../../../../test/support/environment.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

export interface EndedCommand {
  /** Its exit code. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs it with these settings and no others. */
export const runCommand = (
  environment: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<EndedCommand> =>
  new Promise((done) =>
    execFile(
      process.execPath,
      [MAIN, ...args],
      { env: { ...bareEnvironment, ...environment } },
      (error, stdout, stderr) => done({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  )
