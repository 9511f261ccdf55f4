/** The public face of the journal. */
export { BATCH_BYTES_DEFAULT } from './batch-draft.ts'
export {
  type Intent,
  Journal,
  type JournalOptions,
  type JournalStatus,
  type OpenIntent,
  type WrittenIntent,
} from './journal.ts'
export { type BatchFormat, type JournalBatch, JournalReader } from './journal-reader.ts'
export type { SealedBatch } from './recovery.ts'
export type { JournalPosition, Tally } from './segments.ts'
export { SENDERS_MAX } from './senders.ts'
