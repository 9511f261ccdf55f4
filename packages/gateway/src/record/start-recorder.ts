/** Puts the recorder together: the journal and the uploader behind it. */
import type { BatchHeader } from '@sallyport/contract/words'
import { BatchClient, type BatchClientOptions } from '../control-plane/batch-client.ts'
import type { JournalSettings, Log } from '../settings.ts'
import { BatchSender, type GatewayReport } from './delivery/batch-sender.ts'
import type { Recorder } from './recorder.ts'
import { TrafficJournal } from './traffic-journal.ts'
import { Uploader } from './uploader.ts'

const CLOSE_TIMEOUT_MS = 5_000

/** What waits in a journal. */
type Waiting = BatchHeader['journal']

export interface RecorderOptions extends BatchClientOptions {
  /** Where the journal's segments are; made if it is not there. */
  readonly directory: string
  readonly journal: JournalSettings
  readonly report: () => Omit<GatewayReport, 'journal'>
  /** Where the gateway has several journals: which this is, and what waits in all of them. Somebody else reports then. */
  readonly amongOthers?: {
    readonly journalNumber: number
    readonly waiting: (own: Waiting) => Waiting
  }
  /** How long a clean stop goes on sending what is left. */
  readonly closeTimeoutMs?: number
  readonly log: Log
}

export interface RunningRecorder extends Recorder {
  /** Reports the gateway's revision at once, as after each commit of the feed. */
  reportNow(): void
  /** Sends what is left for a bounded time and closes the journal; call it when no request runs any more. */
  close(): Promise<void>
}

/** Recovers the journal, then records and uploads until it is closed. */
export async function startRecorder(options: RecorderOptions): Promise<RunningRecorder> {
  const { directory, log, report, amongOthers } = options
  const journal = await TrafficJournal.open({ ...options.journal, directory, log })
  const client = new BatchClient(options)
  const waiting = (): Waiting => {
    const { pending, pendingBytes, damagedBytes } = journal.files.status()
    const own = { pending, pendingBytes, damagedBytes }
    return amongOthers ? amongOthers.waiting(own) : own
  }
  const sender = new BatchSender({
    client,
    report: () => ({ ...report(), journal: waiting() }),
    ...(amongOthers && { journalNumber: amongOthers.journalNumber }),
    log,
  })
  const uploader = new Uploader({ journal, sender, log })
  if (!amongOthers) sender.startReports()
  return {
    get admitting() {
      return journal.admitting
    },
    intend: (intent) => journal.intend(intent),
    record: (event) => journal.record(event),
    reportNow: () => sender.reportNow(),
    progress: () => journal.progress(),
    uploads: sender.uploads,
    async close() {
      journal.flushStrangers()
      sender.stopReports()
      await uploader.close(options.closeTimeoutMs ?? CLOSE_TIMEOUT_MS)
      await sender.close()
      await client.close()
      await journal.close().catch((error) => {
        log('error', `the journal is closed without what could not be written: ${error}`)
      })
    },
  }
}
