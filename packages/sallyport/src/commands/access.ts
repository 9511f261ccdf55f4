/** Which control plane a command calls, and with what key. */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { OperatorError } from '../operator-error.ts'
import { firstRunFile, readFirstRun } from '../roles/first-run-file.ts'
import type { ReadSettings } from './acting.ts'

export interface AccessOptions {
  readonly url?: string
  readonly apiKey?: string
}

export interface Access {
  readonly url: string
  readonly key: string
}

/** Adds the options `--url` and `--api-key` to a command. */
export const withAccess = (command: Command): Command =>
  command
    .option('--url <url>', 'where the control plane is; SALLYPORT_URL of the environment unless given')
    .option('--api-key <key>', 'an API key; SALLYPORT_API_KEY of the environment unless given')
    .addHelpText(
      'after',
      '\nWithout a key, the URL and the key are those of first-run.json in the data directory.',
    )

/** The control plane that is meant, and the key to it: as given, or as the first start of this installation has kept them. */
export async function findAccess(
  options: AccessOptions,
  readSettings: ReadSettings,
  environment: NodeJS.ProcessEnv,
): Promise<Access> {
  const url = (options.url ?? (environment.SALLYPORT_URL || undefined))?.replace(/\/+$/, '')
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new OperatorError(`${url} is not the URL of a control plane: it begins with http:// or https://`)
  const key = options.apiKey ?? environment.SALLYPORT_API_KEY
  if (key) return { url: url ?? 'http://localhost:7070', key }
  const file = firstRunFile(await readSettings())
  if (existsSync(file)) {
    const { controlUrl, apiKey } = readFirstRun(file)
    // The key of this installation is for no other.
    if (url === undefined || url === controlUrl) return { url: controlUrl, key: apiKey }
  }
  throw new OperatorError('name an API key with --api-key or SALLYPORT_API_KEY')
}
