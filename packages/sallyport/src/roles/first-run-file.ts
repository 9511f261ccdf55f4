/** `first-run.json`: the credentials made at the first start, for the operator and for scripts. Mode 0600. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface FirstRun {
  readonly controlUrl: string
  readonly gatewayUrl: string
  readonly organizationId: string
  readonly email: string
  readonly password: string
  readonly apiKey: string
  readonly researcher: { readonly id: string; readonly email: string; readonly key: string }
}

export const firstRunFile = (settings: { readonly dataDir: string }): string =>
  join(settings.dataDir, 'first-run.json')

/** Writes the file whole, or not at all. */
export function writeFirstRun(file: string, firstRun: FirstRun): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(firstRun, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

export const readFirstRun = (file: string): FirstRun => JSON.parse(readFileSync(file, 'utf8'))
