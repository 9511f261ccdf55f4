/**
 * What the gateway shows to the control plane: a credential of its own, kept in `credential.json` in its data directory and nowhere
 * else, or the token that gateways share.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  formatSecretKey,
  GATEWAY_CREDENTIAL_PREFIX,
  isSecretKey,
  SECRET_KEY_RANDOM_BYTES,
} from '@sallyport/contract/words'
import { readIfThere, replaceFileOnDisk, UnfitFile } from '../snapshot/own-files.ts'

/** What is shown now. One object for all who call, because it is renewed while they run. */
export class GatewayCredential {
  readonly #listeners = new Set<(credential: string) => void>()
  #current: string

  constructor(current: string) {
    this.#current = current
  }

  get current(): string {
    return this.#current
  }

  /** Shows another one from now on. */
  replace(current: string): void {
    if (current === this.#current) return
    this.#current = current
    for (const listener of this.#listeners) listener(current)
  }

  /** Calls back when another one is shown. */
  onReplaced(listener: (credential: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** A credential as it is kept. */
export interface KeptCredential {
  readonly gatewayId: string
  readonly credential: string
  /** What the control plane may have been told of already, and what is shown once it has said so. */
  readonly next?: string
}

/** A new credential. */
export const newCredential = (): string =>
  formatSecretKey(GATEWAY_CREDENTIAL_PREFIX, randomBytes(SECRET_KEY_RANDOM_BYTES))

/** What the control plane keeps of a credential. */
export const hashCredential = (credential: string): string =>
  createHash('sha256').update(credential).digest('hex')

const pathIn = (dataDir: string): string => join(dataDir, 'credential.json')

/** Whether the gateway of a data directory has a credential of its own. */
export const isEnrolled = (dataDir: string): boolean => existsSync(pathIn(dataDir))

/** On the disk when it resolves. */
export const keepCredential = (dataDir: string, kept: KeptCredential): Promise<void> =>
  replaceFileOnDisk(pathIn(dataDir), JSON.stringify(kept))

/** The credential that is kept in a data directory; undefined where there is none. Throws an `UnfitFile` where it is damaged. */
export async function readCredential(dataDir: string): Promise<KeptCredential | undefined> {
  const path = pathIn(dataDir)
  const text = await readIfThere(path)
  if (text === undefined) return undefined
  const kept = parse(text)
  if (!kept)
    throw new UnfitFile(
      `${path} is damaged: delete it, and enrol the gateway again with \`sallyport gateway enroll\``,
    )
  return kept
}

/** That of the gateway that is named so. Throws an `UnfitFile` where it is of another one. */
export async function readOwnCredential(
  dataDir: string,
  gatewayId: string,
): Promise<KeptCredential | undefined> {
  const kept = await readCredential(dataDir)
  if (kept && kept.gatewayId !== gatewayId)
    throw new UnfitFile(
      `this gateway is enrolled as ${kept.gatewayId} and named ${gatewayId}: name it as before, or enrol it anew`,
    )
  return kept
}

function parse(text: string): KeptCredential | undefined {
  try {
    const { gatewayId, credential, next }: Partial<Record<keyof KeptCredential, unknown>> = JSON.parse(text)
    if (typeof gatewayId !== 'string' || !isCredential(credential)) return undefined
    return { gatewayId, credential, ...(isCredential(next) && { next }) }
  } catch {
    return undefined
  }
}

/** Whether this is written as a credential is. */
export const isCredential = (text: unknown): text is string =>
  typeof text === 'string' && isSecretKey(GATEWAY_CREDENTIAL_PREFIX, text)
