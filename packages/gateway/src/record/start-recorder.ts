/** Puts the recorder together: the journal and the uploader behind it. */
import { BatchClient, type BatchClientOptions } from '../control-plane/batch-client.ts'
import type { JournalSettings, Log } from '../settings.ts'
import type { Recorder } from './recorder.ts'
import { TrafficJournal } from './traffic-journal.ts'
import { type GatewayReport, Uploader } from './uploader.ts'

/** How long a clean stop goes on sending what is left. */
const CLOSE_TIMEOUT_MS = 5_000

export interface RecorderOptions extends BatchClientOptions {
  /** Where the journal's segments are; made if it is not there. */
  readonly directory: string
  readonly journal: JournalSettings
  readonly report: () => GatewayReport
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
  const { directory, log, report } = options
  const journal = await TrafficJournal.open({ ...options.journal, directory, log })
  const client = new BatchClient(options)
  const uploader = new Uploader({ journal, client, report, log })
  return {
    get admitting() {
      return journal.admitting
    },
    intend: (intent) => journal.intend(intent),
    record: (event) => journal.record(event),
    reportNow: () => uploader.reportNow(),
    progress: () => journal.progress(),
    async close() {
      journal.flushStrangers()
      await uploader.close(CLOSE_TIMEOUT_MS)
      await client.close()
      await journal.close()
    },
  }
}
