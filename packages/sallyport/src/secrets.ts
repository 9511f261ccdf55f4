/**
 * The secrets of an installation. Those that the settings do not give are made at the first start and kept in
 * `secrets.json` in the data directory, readable by its owner alone. Losing the file loses what is encrypted with it, so
 * beside a database that was made before, it is not made anew.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from './operator-error.ts'
import { keepPrivateText, readOwnFile, writePrivateJson } from './private-file.ts'
import type { Settings } from './settings.ts'

export interface Secrets {
  readonly secretKey: Buffer
  readonly gatewayToken: string
}

/** The secrets of this installation, made where they are missing. The data directory must exist. */
export function readSecrets(settings: Pick<Settings, 'dataDir' | 'secretKey' | 'gatewayToken'>): Secrets {
  const { secretKey, gatewayToken } = settings
  if (secretKey && gatewayToken) return { secretKey, gatewayToken }
  const file = fileIn(settings.dataDir)
  if (!existsSync(file)) {
    // What is stored under the key that is missing could not be read with another.
    if (!secretKey && existsSync(join(settings.dataDir, 'postgres', 'cluster')))
      throw new OperatorError(
        `${file} is missing: restore it from a backup, or set SALLYPORT_SECRET_KEY to the key that was used before`,
      )
    const made = {
      secretKey: randomBytes(32).toString('base64'),
      gatewayToken: randomBytes(32).toString('base64url'),
    }
    writePrivateJson(file, made)
  }
  const kept = read(file)
  return { secretKey: secretKey ?? kept.secretKey, gatewayToken: gatewayToken ?? kept.gatewayToken }
}

/** The secret key of an installation that is there: never a new one, which would be that of no installation. */
export function requireSecretKey({ dataDir, secretKey }: Pick<Settings, 'dataDir' | 'secretKey'>): Buffer {
  if (secretKey) return secretKey
  const file = fileIn(dataDir)
  if (!existsSync(file))
    throw new OperatorError(
      `there is no ${file}: set SALLYPORT_DATA_DIR to the data directory of the installation, or SALLYPORT_SECRET_KEY to its key`,
    )
  return read(file).secretKey
}

/** What a gateway shows to the control plane: never a new one, which no control plane would know. */
export function requireGatewayToken(settings: Pick<Settings, 'dataDir' | 'gatewayToken'>): string {
  if (settings.gatewayToken) return settings.gatewayToken
  const file = fileIn(settings.dataDir)
  if (!existsSync(file))
    throw new OperatorError(
      'this gateway is not enrolled: run `sallyport gateway enroll`, or set SALLYPORT_GATEWAY_TOKEN to the token of the control plane',
    )
  return read(file).gatewayToken
}

const fileIn = (dataDir: string): string => join(dataDir, 'secrets.json')

function read(file: string): Secrets {
  const kept = parse(readOwnFile(file))
  if (!kept) throw new OperatorError(`${file} is damaged: restore it from a backup`)
  return kept
}

function parse(text: string): Secrets | undefined {
  try {
    const { secretKey, gatewayToken }: { secretKey?: unknown; gatewayToken?: unknown } = JSON.parse(text)
    const key = Buffer.from(String(secretKey), 'base64')
    return key.length === 32 && typeof gatewayToken === 'string'
      ? { secretKey: key, gatewayToken }
      : undefined
  } catch {
    return undefined
  }
}

/** Where a gateway's own admin token is, for who may read its folder. */
export const adminTokenFile = (gatewayDir: string): string => join(gatewayDir, 'admin-token')

/** The admin token of a gateway, made at its first start. */
export const keepAdminToken = (gatewayDir: string): string =>
  keepPrivateText(adminTokenFile(gatewayDir), () => randomBytes(ADMIN_TOKEN_BYTES).toString('base64url'))

const ADMIN_TOKEN_BYTES = 32
