/**
 * Delivers what the journals of a gateway hold that does not run, and will not: it is taken away, or is to be of a version with another
 * format. Nobody else may work in its directory meanwhile. A process that is killed here loses nothing, like any other that sends.
 */
import { join } from 'node:path'
import { BatchClient, type Delivery } from './control-plane/batch-client.ts'
import { ControlUrls } from './control-plane/control-urls.ts'
import { GatewayCredential, readOwnCredential } from './control-plane/credential.ts'
import type { GatewayReport } from './record/delivery/batch-sender.ts'
import { drainJournal, type JournalDrainParts } from './record/delivery/drain-journal.ts'
import { DEFAULT_JOURNAL_SETTINGS, type GatewaySettings, type Log } from './settings.ts'
import { readLastGoodRevision } from './snapshot/last-good.ts'
import { journalFolder, journalsIn } from './threads/journal-folders.ts'

export interface DrainOptions
  extends Pick<GatewaySettings, 'dataDir' | 'gatewayId' | 'gatewayToken' | 'controlUrls'> {
  /** It is over when the control plane has taken nothing for so long. */
  readonly timeoutMs: number
  /** Ends it sooner; what is left stays. */
  readonly signal: AbortSignal
  readonly log: Log
}

export interface DrainResult {
  /** Events that are delivered; those that the control plane could not store are in its quarantine. */
  readonly events: number
  readonly batches: number
  /** Batches of which the control plane could store nothing, and which it quarantined. */
  readonly quarantinedBatches: number
  /** Events that wait still. */
  readonly left: number
  /** Folders of journals that could not be read, with the reason. */
  readonly unreadable: readonly string[]
  /** What the control plane answered last, where it did not take a batch; empty otherwise. */
  readonly reason: string
}

/** The journals are as large as they are: nothing in them is dropped to make room. */
const JOURNAL = Object.freeze({ ...DEFAULT_JOURNAL_SETTINGS, whenFull: 'stop' as const })

/** Sends one journal after the other; resolves when all are empty, or when it is over. Rejects where the credential is another gateway's. */
export async function drainGateway(options: DrainOptions): Promise<DrainResult> {
  const { dataDir, gatewayId, log } = options
  const kept = await readOwnCredential(dataDir, gatewayId)
  const revision = await readLastGoodRevision(join(dataDir, 'snapshot.ndjson'))
  const report = (): GatewayReport => ({
    ...{ gatewayId, revision, isDrained: true, assertionKeys: { keys: [] }, health: [] },
    journal: { pending: 0, pendingBytes: 0, damagedBytes: 0 },
  })
  const controlUrls = new ControlUrls(options.controlUrls)
  const credential = new GatewayCredential(kept?.credential ?? options.gatewayToken)
  const client = new BatchClient({ controlUrls, credential })
  const watched = new WatchedClient(client, controlUrls, options.timeoutMs)
  const stop = AbortSignal.any([options.signal, watched.gaveUp])
  let [events, left] = [0, 0]
  const unreadable: string[] = []
  try {
    for (const journalNumber of await journalsIn(dataDir)) {
      const directory = journalFolder(dataDir, journalNumber)
      const parts = { directory, journalNumber, journal: JOURNAL, client: watched, report, log }
      try {
        const drained = await drainJournal({ ...parts, senderLog: () => undefined }, stop)
        events += drained.events
        left += drained.left
      } catch (error) {
        unreadable.push(error instanceof Error ? error.message : String(error))
      }
    }
  } finally {
    watched.close()
    await client.close()
  }
  return { events, left, unreadable, ...watched.counted() }
}

/** Counts what the control plane takes, goes on to the next one where one does not, and gives up after a time without any. */
class WatchedClient implements Pick<BatchClient, 'send' | 'takesCompressed'> {
  readonly #client: JournalDrainParts['client']
  readonly #controlUrls: ControlUrls
  readonly #gaveUp = new AbortController()
  readonly #timer: NodeJS.Timeout
  #batches = 0
  #quarantinedBatches = 0
  #reason = ''

  constructor(client: JournalDrainParts['client'], controlUrls: ControlUrls, timeoutMs: number) {
    this.#client = client
    this.#controlUrls = controlUrls
    this.#timer = setTimeout(() => this.#gaveUp.abort(), timeoutMs)
  }

  get gaveUp(): AbortSignal {
    return this.#gaveUp.signal
  }

  get takesCompressed(): boolean {
    return this.#client.takesCompressed
  }

  readonly send: BatchClient['send'] = async (header, lines, signal) => {
    const url = this.#controlUrls.current
    const delivery = await this.#client.send(header, lines, signal)
    const isWhole = !header.part || header.part.end === header.part.of
    if (delivery.kind === 'accepted' && isWhole) this.#batches += 1
    if (delivery.kind === 'refused') this.#quarantinedBatches += 1
    if (delivery.kind === 'again' && !signal?.aborted) {
      this.#reason = delivery.reason
      this.#controlUrls.leave(url)
    } else if (isTaken(delivery)) {
      this.#reason = ''
      this.#timer.refresh()
    }
    return delivery
  }

  counted(): Pick<DrainResult, 'batches' | 'quarantinedBatches' | 'reason'> {
    return { batches: this.#batches, quarantinedBatches: this.#quarantinedBatches, reason: this.#reason }
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}

const isTaken = ({ kind }: Delivery): boolean => kind === 'accepted' || kind === 'refused'
