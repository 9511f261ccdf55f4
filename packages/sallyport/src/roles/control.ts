/** `sallyport control`: the control plane, on the databases that the settings name. */
import { join } from 'node:path'
import {
  beginWithPreparedStore,
  type ControlSettings,
  loadEmbeddedEngine,
  startControl,
} from '@sallyport/control'
import { lockDirectory } from '../directory-lock.ts'
import { CONTROL_PORTS, claimPorts } from '../ports.ts'
import { PREPARED_STORE } from '../prepared/prepared-folder.ts'
import { makePrivateDirectory } from '../private-file.ts'
import { readSecrets } from '../secrets.ts'
import type { Settings } from '../settings.ts'
import { untilNeeded } from '../supervisor/supervised-child.ts'
import { tracesOf } from '../traces.ts'
import { readVersion } from '../version.ts'
import { consoleFolder } from './console-folder.ts'
import { databaseUrls, requireDatabases, requireDatabaseUrl } from './database-urls.ts'
import { prepareFirstRun } from './first-run.ts'
import { loopbackUrl, partUrl } from './loopback-url.ts'
import type { RunningRole } from './run-role.ts'

export interface ControlRoleOptions {
  readonly supervisorPid?: number | undefined
  /** Make an organization where there is none, and write its credentials to `first-run.json`. */
  readonly firstRun?: boolean | undefined
}

/** Starts the control plane and resolves when it serves. */
export async function startControlRole(given: Settings, options: ControlRoleOptions): Promise<RunningRole> {
  const directory = join(given.dataDir, 'control')
  // Before anything is made that would then wait for them: a secret key is not made for no database.
  requireDatabaseUrl(given)
  if (!given.clickhouseUrl) await loadEmbeddedEngine()
  const lock = await lockDirectory(directory, options.supervisorPid)
  const settings = await claimPorts(given, CONTROL_PORTS)
  const described = await describeControl(settings)
  makePrivateDirectory(directory)
  if ('dataDir' in described.clickhouse) {
    const { dataDir } = described.clickhouse
    await beginWithPreparedStore(PREPARED_STORE, dataDir)
    makePrivateDirectory(dataDir)
  }
  const control = await startControl(described, {
    prepare: async () => {
      await untilNeeded()
      await requireDatabases(described)
    },
    fill: async () => {
      if (options.firstRun)
        await prepareFirstRun(settings.dataDir, described, {
          controlUrl: partUrl('control', settings),
          gatewayUrl: loopbackUrl(settings.gatewayHost, settings.gatewayPort),
        })
    },
  })
  return {
    close: async () => {
      await control.close()
      lock.release()
    },
  }
}

/** The control plane's own settings, from those of the installation. */
export async function describeControl(settings: Settings): Promise<ControlSettings> {
  const secrets = readSecrets(settings)
  const urls = await databaseUrls(settings, secrets.secretKey)
  const { oidcIssuer, oidcAudience, smtpUrl, smtpFrom } = settings
  return Object.freeze({
    host: settings.controlHost,
    port: settings.controlPort,
    adminHost: settings.controlAdminHost,
    adminPort: settings.controlAdminPort,
    version: readVersion(),
    trustedProxies: settings.trustedProxies,
    publicUrl: settings.publicUrl ?? `http://localhost:${settings.controlPort}`,
    gateDomain: settings.gateDomain,
    gatewayPublicUrl: gatewayPublicUrl(settings),
    gateUrl: gateUrl(settings),
    originProof: settings.originProof,
    allowPrivateOrigins: settings.allowPrivateOrigins,
    databaseUrl: urls.app,
    directDatabaseUrl: urls.direct,
    migrationDatabaseUrl: urls.owner,
    clickhouse: settings.clickhouseUrl
      ? { url: settings.clickhouseUrl, cluster: settings.clickhouseCluster }
      : { dataDir: join(settings.dataDir, 'clickhouse') },
    secretKey: secrets.secretKey,
    earlierSecretKeys: settings.earlierSecretKeys,
    gatewayToken: secrets.gatewayToken,
    oidc:
      oidcIssuer && oidcAudience
        ? {
            issuer: oidcIssuer,
            audience: oidcAudience,
            clientId: settings.oidcClientId,
            scope: settings.oidcScope ?? null,
            organizationClaim: settings.oidcOrganizationClaim,
            organizations: settings.oidcOrganizations,
            emailClaim: settings.oidcEmailClaim,
            emailVerifiedClaim: settings.oidcEmailVerified === 'always' ? null : settings.oidcEmailVerified,
            roleClaim: settings.oidcRoleClaim,
            algorithms: settings.oidcAlgorithms,
          }
        : null,
    notify: {
      webhookHosts: settings.webhookHosts,
      webhookPrivateAddresses: settings.webhookPrivateAddresses,
      webhookPlainHosts: settings.webhookPlainHosts,
      mail: smtpUrl && smtpFrom ? { url: smtpUrl, from: smtpFrom } : null,
    },
    consoleDir: consoleFolder('console'),
    logLevel: settings.logLevel,
    traces: tracesOf(settings),
  })
}

/** Under which scheme and port researchers reach gated names. */
export const gatewayPublicUrl = (
  settings: Pick<Settings, 'gatewayPublicUrl' | 'gateDomain' | 'gatewayPort'>,
): string => settings.gatewayPublicUrl ?? `http://${settings.gateDomain}:${settings.gatewayPort}`

/** Where researchers reach the gate's own host. */
export function gateUrl(
  settings: Pick<Settings, 'gatewayPublicUrl' | 'gateDomain' | 'gatewayPort' | 'gateHost'>,
): string {
  const url = new URL(gatewayPublicUrl(settings))
  url.hostname = settings.gateHost ?? `sallyport.${settings.gateDomain}`
  return url.origin
}
