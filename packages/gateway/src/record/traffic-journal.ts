/**
 * The record of a gateway in its journal: events as the text of which batches are made.
 *
 * Every request that goes to an origin is in a file before its first byte leaves, and every event stays there until the
 * control plane has acknowledged it. A share of the journal is for what strangers cause (`stranger-records.ts`), and the
 * rest is for researchers alone.
 */
import type { TrafficEvent } from '@sallyport/contract'
import {
  BATCH_EVENTS_MAX,
  requestLineHead,
  requestLineStart,
  requestLineTail,
  senderLine,
} from '@sallyport/contract/words'
import { type BatchFormat, Journal, JournalReader } from '@sallyport/journal'
import type { JournalSettings, Log } from '../settings.ts'
import { makeOwnFolder } from '../snapshot/own-files.ts'
import { interruptedTail } from './interrupted-tail.ts'
import type { JournalProgress, Recorder, TrafficIntent } from './recorder.ts'
import { isStranger, membersOf } from './sender-text.ts'
import { StrangerRecords, type StrangerRoom } from './stranger-records.ts'

export interface TrafficJournalOptions extends JournalSettings {
  readonly directory: string
  readonly log: Log
}

/** The part of the journal that what strangers cause may fill, and the part of that which single refusals may fill. */
const STRANGERS_PART = 1 / 20
const SINGLE_REFUSALS_PART = 3 / 4

const BATCH_FORMAT: BatchFormat = {
  eventsMax: BATCH_EVENTS_MAX,
  senderLine,
  eventLineStart: requestLineStart,
}

export class TrafficJournal implements Omit<Recorder, 'uploads'> {
  readonly files: Journal
  readonly #strangers: StrangerRecords
  /** Refusals of researchers that the journal had no room for. */
  #refused = 0

  private constructor(files: Journal) {
    this.files = files
    this.#strangers = new StrangerRecords({
      room: () => this.#strangerRoom,
      append: (event) => this.#append(event),
    })
  }

  /** Opens the journal of a directory, recovering what an earlier process left in it. */
  static async open(options: TrafficJournalOptions): Promise<TrafficJournal> {
    await makeOwnFolder(options.directory)
    const files = await Journal.open({ ...options, isMetered: isStranger, meteredPart: STRANGERS_PART })
    return new TrafficJournal(files)
  }

  /** Reads the journal back, as batches for the control plane. */
  createReader(): JournalReader {
    return new JournalReader(this.files, BATCH_FORMAT)
  }

  get admitting(): boolean {
    return this.files.admitting
  }

  intend(intent: TrafficIntent): Promise<void> {
    return this.files.intend(keyOf(intent), labelOf(intent), {
      sender: membersOf(intent),
      head: requestLineHead(intent),
      tail: interruptedTail(intent),
    })
  }

  record(event: TrafficEvent): void {
    const intent = this.files.endIntent(keyOf(event))
    if (intent) {
      const tail = requestLineTail(event)
      if (intent.label === labelOf(event)) this.files.outcome(intent, tail)
      else this.files.replace(intent, membersOf(event), requestLineHead(event), tail)
    } else if (event.researcherId === '') this.#strangers.record(event)
    else if (this.files.hasRoom) this.#append(event)
    else this.#refused += 1
  }

  /** Records what strangers did so far, so that nothing of it is only in memory. */
  flushStrangers(): void {
    this.#strangers.flush()
  }

  progress(): JournalProgress {
    const { files } = this
    const status = files.status()
    return {
      ...status,
      admitting: files.admitting,
      dropped: status.dropped + this.#refused,
      aggregated: this.#strangers.aggregated,
      strangerBytes: files.meteredBytes,
    }
  }

  /** Writes and syncs everything and closes the files. What is not acknowledged is sent by the next process. */
  close(): Promise<void> {
    this.#strangers.flush()
    return this.files.close()
  }

  #append(event: TrafficEvent): void {
    this.files.append(membersOf(event), requestLineHead(event), requestLineTail(event))
  }

  get #strangerRoom(): StrangerRoom {
    if (!this.files.writable) return 'nothing'
    const bytes = this.files.meteredBytes
    const bytesMax = this.files.bytesMax * STRANGERS_PART
    if (bytes < bytesMax * SINGLE_REFUSALS_PART) return 'each'
    return bytes < bytesMax ? 'counts' : 'few-counts'
  }
}

const keyOf = (event: Pick<TrafficEvent, 'id' | 'kind'>): string =>
  event.kind === 'websocket_close' ? `${event.id} close` : event.id

/**
 * What of the sender and the head may be another at the end than it was intended: the kind of a WebSocket, when it closed, and a tool that
 * the body of the request betrays.
 */
function labelOf({ kind, tool, time }: Pick<TrafficEvent, 'kind' | 'tool' | 'time'>): string {
  if (kind === 'websocket_close') return `${kind} ${time}`
  return tool === '' ? kind : `${kind} ${tool}`
}
