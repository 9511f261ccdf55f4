/** `sallyport gateway`: one gateway, which knows the control plane by its URL and a credential and nothing else of it. */
import { randomBytes, X509Certificate } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FEED_SILENCE_MAX_MS } from '@sallyport/contract/words'
import {
  DEFAULT_GATEWAY_LIMITS,
  DEFAULT_JOURNAL_SETTINGS,
  DEFAULT_TABLES_FILE,
  type GatewayLimits,
  type GatewaySettings,
  isEnrolled,
  startGateway,
} from '@sallyport/gateway'
import { lockDirectory } from '../directory-lock.ts'
import { OperatorError, systemErrorCode } from '../operator-error.ts'
import { claimPorts, gatewayPorts } from '../ports.ts'
import { PREPARED_FOLDER } from '../prepared/prepared-folder.ts'
import { keepPrivateText, makePrivateDirectory } from '../private-file.ts'
import { keepAdminToken, requireGatewayToken } from '../secrets.ts'
import { SETTINGS, type Settings } from '../settings.ts'
import { untilNeeded } from '../supervisor/supervised-child.ts'
import { tracesOf } from '../traces.ts'
import { readVersion } from '../version.ts'
import { consoleFolder } from './console-folder.ts'
import { requireSafeControlUrls } from './control-url.ts'
import { untilReachable } from './reachable.ts'
import type { RunningRole } from './run-role.ts'
import { servingThreads } from './threads/serving-threads.ts'

/** The limits that are settings; the others are the gateway's own. */
const describeLimits = (settings: Settings): GatewayLimits =>
  Object.freeze({
    ...DEFAULT_GATEWAY_LIMITS,
    ...given({
      headBytesMax: settings.headBytesMax,
      bodyBytesMax: settings.bodyBytesMax,
      connectionsMax: settings.connectionsMax,
      streamsPerResearcherMax: settings.streamsPerResearcherMax,
      originConnectionsMax: settings.originConnectionsMax,
      originConnectionsPerResearcherMax:
        settings.originConnectionsPerResearcherMax ?? quarterOf(settings.originConnectionsMax),
      originConnectTimeoutMs: milliseconds(settings.originConnectTimeoutSeconds),
      originHeadTimeoutMs: milliseconds(settings.originHeadTimeoutSeconds),
      originBodyIdleTimeoutMs: milliseconds(settings.originBodyIdleTimeoutSeconds),
      websocketIdleTimeoutMs: milliseconds(settings.websocketIdleTimeoutSeconds),
      drainTimeoutMs: milliseconds(settings.drainTimeoutSeconds),
    }),
  })

const quarterOf = (count: number | undefined): number | undefined =>
  count === undefined ? undefined : Math.ceil(count / 4)

const milliseconds = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1_000

/** The values that are there. */
const given = (
  values: { readonly [Name in keyof GatewayLimits]?: number | undefined },
): Partial<GatewayLimits> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

const CONTROL_WAIT_MS = 5_000

/** Starts the gateway and resolves when it serves. */
export async function startGatewayRole(asked: Settings, supervisorPid?: number): Promise<RunningRole> {
  const controlUrls = requireSafeControlUrls(asked)
  requireReadable('tlsDir', asked.tlsDir, readdirSync)
  requireReadable('originAuthoritiesFile', asked.originAuthoritiesFile, requireCertificates)
  const dataDir = join(asked.dataDir, 'gateway')
  const gatewayToken = sharedToken(asked, dataDir, supervisorPid !== undefined)
  const lock = await lockDirectory(dataDir, supervisorPid)
  makePrivateDirectory(dataDir)
  beginWithPreparedTables(dataDir)
  const settings = await claimPorts(asked, gatewayPorts(asked))
  // Started side by side with the control plane: a moment's wait, and it begins with the present configuration instead
  // of the last one. A gateway that is started again finds it there, and one on its own serves from what it has.
  const expected =
    supervisorPid === undefined
      ? undefined
      : untilNeeded().then(() => untilReachable(controlUrls[0], CONTROL_WAIT_MS))
  const described = describeGateway(settings, dataDir, { controlUrls, gatewayToken })
  const gateway = await startGateway(described, expected)
  return {
    close: async () => {
      await gateway.close()
      lock.release()
    },
  }
}

/** The firewall's tables that were made with the installation of the program, where it has some and this gateway has none. */
function beginWithPreparedTables(dataDir: string): void {
  const file = join(dataDir, DEFAULT_TABLES_FILE)
  try {
    if (!existsSync(file)) copyFileSync(join(PREPARED_FOLDER, DEFAULT_TABLES_FILE), file)
  } catch {
    // They are a cache: the gateway makes its own.
  }
}

/** What gateways share; empty where this one is enrolled. One that runs by itself is told how it gets its own. */
function sharedToken(asked: Settings, dataDir: string, isSupervised: boolean): string {
  if (isEnrolled(dataDir)) return ''
  const token = requireGatewayToken(asked)
  if (!isSupervised)
    console.error(
      'sallyport: this gateway shows the token that all gateways share; to give it a credential of its own, stop it and run `sallyport gateway enroll` with a token of `sallyport gateways token`',
    )
  return token
}

/** What is no certificate would be passed over without a word, and every origin that needs one refused. An empty file names none. */
function requireCertificates(path: string): void {
  const text = readFileSync(path, 'utf8').trim()
  if (text !== '') new X509Certificate(text)
}

function requireReadable(
  name: keyof typeof SETTINGS,
  path: string | undefined,
  read: (path: string) => unknown,
): void {
  try {
    if (path !== undefined) read(path)
  } catch (error) {
    throw new OperatorError(
      `${SETTINGS[name].variable}: ${path} cannot be read (${systemErrorCode(error)}): correct the setting, or make it readable`,
    )
  }
}

/** Where there is nobody else to ask, patience costs nothing, and to start over costs a whole configuration. */
const defaultSilenceMs = (controlUrls: readonly string[]): number =>
  controlUrls.length > 1 ? SILENCE_MAX_MS : FEED_SILENCE_MAX_MS

const SILENCE_MAX_MS = 750

function describeGateway(
  settings: Settings,
  dataDir: string,
  control: Pick<GatewaySettings, 'controlUrls' | 'gatewayToken'>,
): GatewaySettings {
  return Object.freeze({
    dataDir,
    gatewayId: gatewayIdOf(settings, dataDir),
    version: readVersion(),
    threads: servingThreads(settings),
    host: settings.gatewayHost,
    port: settings.gatewayPort,
    adminHost: settings.gatewayAdminHost,
    adminPort: settings.gatewayAdminPort,
    adminToken: settings.gatewayAdminToken ?? keepAdminToken(dataDir),
    tls: settings.tlsDir
      ? { directory: settings.tlsDir, port: settings.tlsPort, proxyPort: settings.proxyPort }
      : null,
    proxyProtocolFrom: settings.proxyProtocolFrom,
    trustedProxies: settings.gatewayTrustedProxies,
    forwardedHeader: settings.gatewayForwardedHeader,
    ...control,
    controlSilenceMaxMs: settings.controlSilenceMs ?? defaultSilenceMs(control.controlUrls),
    allowPrivateOrigins: settings.allowPrivateOrigins,
    originAuthoritiesFile: settings.originAuthoritiesFile ?? null,
    valkeyUrl: settings.valkeyUrl ?? null,
    researcherPageDir: consoleFolder('researcher'),
    journal: {
      ...DEFAULT_JOURNAL_SETTINGS,
      whenFull: settings.journalWhenFull,
      ...(settings.journalBytesMax && { totalBytesMax: settings.journalBytesMax, followsFreeSpace: false }),
    },
    limits: describeLimits(settings),
    logLevel: settings.logLevel,
    traces: tracesOf(settings),
  })
}

/** The name of a gateway, also before it first runs. */
export const gatewayIdOf = (settings: Pick<Settings, 'gatewayId'>, dataDir: string): string =>
  settings.gatewayId ?? keepId(dataDir)

/** A gateway keeps its name, so that the control plane knows it again. */
const keepId = (dataDir: string): string =>
  keepPrivateText(join(dataDir, 'id'), () => `gateway-${randomBytes(6).toString('hex')}`)
