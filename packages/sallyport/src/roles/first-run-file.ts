/** `first-run.json`: the credentials made at the first start, for the operator and for scripts. Mode 0600. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError, systemErrorCode } from '../operator-error.ts'

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

/** What the file says. Throws an `OperatorError` where it is not what the first start has written. */
export function readFirstRun(file: string): FirstRun {
  try {
    // Whoever writes another object with a key into it gets what they wrote.
    const firstRun = JSON.parse(readFileSync(file, 'utf8')) as FirstRun | null
    if (firstRun && typeof firstRun.apiKey === 'string' && typeof firstRun.controlUrl === 'string')
      return firstRun
  } catch (error) {
    if (systemErrorCode(error) !== '') throw error
  }
  throw new OperatorError(
    `${file} holds no credentials: put it back, or remove it and make an API key with "sallyport keys create"`,
  )
}
