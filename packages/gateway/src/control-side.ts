/** What a gateway knows of the control plane and keeps of it: configuration, lease, closures. One for all of its threads. */
import { join } from 'node:path'
import { Closures } from './closures/closures.ts'
import { BatchClient } from './control-plane/batch-client.ts'
import { ClosureReports } from './control-plane/closure-reports.ts'
import { ControlUrls } from './control-plane/control-urls.ts'
import { GatewayCredential, readOwnCredential } from './control-plane/credential.ts'
import { CredentialRenewer } from './control-plane/credential-renewer.ts'
import { FeedClient } from './control-plane/feed-client.ts'
import { LeaseClient } from './control-plane/lease-client.ts'
import type { Lease } from './lease/lease.ts'
import { LeaseFile } from './lease/lease-file.ts'
import type { GatewayReport } from './record/delivery/batch-sender.ts'
import { drainJournal } from './record/delivery/drain-journal.ts'
import type { GatewaySettings, Log } from './settings.ts'
import type { CompiledSnapshot } from './snapshot/compile.ts'
import type { RevisionSource } from './snapshot/snapshot.ts'
import { journalFolder, otherJournals } from './threads/journal-folders.ts'

export interface ControlSide {
  readonly controlUrls: ControlUrls
  readonly credential: GatewayCredential
  readonly snapshots: FeedClient
  readonly closures: Closures
  /** Renews the lease, by what every thread runs. */
  renewLeases(inForce: RevisionSource): LeaseClient
  close(): Promise<void>
}

/** Reads what the gateway was left with, and follows the control plane from then on, or from when it is expected. */
export async function startControlSide(
  settings: GatewaySettings,
  lease: Lease,
  empty: CompiledSnapshot,
  log: Log,
  expected?: Promise<void>,
): Promise<ControlSide> {
  const { gatewayId, dataDir } = settings
  const controlUrls = new ControlUrls(settings.controlUrls)
  const { credential, renewal } = await openCredential(settings, controlUrls, log)
  const snapshots = await FeedClient.start({
    controlUrls,
    credential,
    silenceMaxMs: settings.controlSilenceMaxMs,
    lastGoodPath: join(dataDir, 'snapshot.ndjson'),
    empty,
    begin: expected,
    log,
  })
  const closures = await Closures.open(join(dataDir, 'closures.json'), log)
  const reports = new ClosureReports({ controlUrls, credential, gatewayId }, closures)
  const file = await LeaseFile.open(join(dataDir, 'lease.json'), log)
  await file.restore(lease)
  let leases: LeaseClient | undefined
  return {
    controlUrls,
    credential,
    snapshots,
    closures,
    renewLeases(inForce) {
      const { version } = settings
      leases = new LeaseClient({
        ...{ controlUrls, credential, gatewayId, version, lease, file, log },
        snapshots: inForce,
        renewalDue: () => renewal?.begin(),
      })
      return leases
    },
    async close() {
      await reports.close()
      await leases?.close()
      await renewal?.close()
      await snapshots.close()
    },
  }
}

/** What the gateway shows: its own credential, with its renewal, or the token that gateways share. */
async function openCredential(
  { dataDir, gatewayId, gatewayToken }: GatewaySettings,
  controlUrls: ControlUrls,
  log: Log,
): Promise<{ readonly credential: GatewayCredential; readonly renewal?: CredentialRenewer }> {
  const kept = await readOwnCredential(dataDir, gatewayId)
  if (!kept) return { credential: new GatewayCredential(gatewayToken) }
  const credential = new GatewayCredential(kept.credential)
  return { credential, renewal: new CredentialRenewer({ controlUrls, credential, kept, dataDir, log }) }
}

/** Sends what is left in the journals of threads that the gateway had before. */
export async function drainOtherJournals(
  settings: GatewaySettings,
  { controlUrls, credential }: ControlSide,
  report: () => GatewayReport,
  log: Log,
): Promise<{ close(): Promise<void> }> {
  const { dataDir, journal } = settings
  const numbers = await otherJournals(dataDir, settings.threads)
  if (numbers.length === 0) return { close: async () => undefined }
  const client = new BatchClient({ controlUrls, credential })
  const stop = new AbortController()
  const draining = numbers.map(async (journalNumber) => {
    const directory = journalFolder(dataDir, journalNumber)
    try {
      await drainJournal({ directory, journalNumber, journal, client, report, log }, stop.signal)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      log('error', `what was left in ${directory} cannot be sent: ${why}`)
    }
  })
  return {
    async close() {
      stop.abort()
      await Promise.all(draining)
      await client.close()
    },
  }
}
