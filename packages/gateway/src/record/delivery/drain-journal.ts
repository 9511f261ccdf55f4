/** Sends what an earlier run left in a journal that nobody writes to any more, and removes it. */
import { readdir, rm } from 'node:fs/promises'
import { pause } from '@sallyport/toolbox'
import type { BatchClient } from '../../control-plane/batch-client.ts'
import type { JournalSettings, Log } from '../../settings.ts'
import { TrafficJournal } from '../traffic-journal.ts'
import { Uploader } from '../uploader.ts'
import { BatchSender, type GatewayReport } from './batch-sender.ts'

export interface JournalDrainParts {
  readonly directory: string
  readonly journalNumber: number
  readonly journal: JournalSettings
  readonly client: Pick<BatchClient, 'send' | 'takesCompressed'>
  readonly report: () => GatewayReport
  readonly log: Log
  /** Told of a control plane that is away and back; `log` where there is none. */
  readonly senderLog?: Log
}

/** What became of a journal. */
export interface DrainedJournal {
  /** Events that the control plane took or quarantined. */
  readonly events: number
  /** Events that wait still. */
  readonly left: number
}

/** How often it is looked whether all is sent. */
const LOOK_INTERVAL_MS = 100
/** Where what was damaged is kept. */
const DAMAGED = 'damaged'

/** Resolves when all is sent and the journal is gone, or when it is to stop: what is left stays for the next start. */
export async function drainJournal(parts: JournalDrainParts, stop: AbortSignal): Promise<DrainedJournal> {
  const { directory, journalNumber, log, senderLog = log } = parts
  const journal = await TrafficJournal.open({ ...parts.journal, directory, log })
  const waiting = journal.files.status().pending
  const sender = new BatchSender({
    client: parts.client,
    report: parts.report,
    journalNumber,
    log: senderLog,
  })
  const uploader = new Uploader({ journal, sender, log })
  while (!stop.aborted && journal.files.status().pending > 0) await pause(LOOK_INTERVAL_MS, stop)
  await uploader.close(0)
  await sender.close()
  const left = journal.files.status().pending
  const isSent = left === 0
  await journal.close()
  const names = await readdir(directory)
  if (isSent && !names.includes(DAMAGED)) await rm(directory, { recursive: true })
  if (isSent) log('info', `what was left in ${directory} is sent`)
  return { events: waiting - left, left }
}
