/** `first-run.json`: the credentials made at the first start, for the operator and for scripts. Mode 0600. */
import { readFileSync } from 'node:fs'
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

export const readFirstRun = (file: string): FirstRun => JSON.parse(readFileSync(file, 'utf8'))
