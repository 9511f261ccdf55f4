/** The public face of the journal. */
export { BATCH_BYTES_DEFAULT } from './batch-draft.ts'
export { Journal } from './journal.ts'
export type { Intent, JournalOptions, JournalStatus, OpenIntent, WrittenIntent } from './journal-options.ts'
export { type BatchFormat, type JournalBatch, JournalReader } from './journal-reader.ts'
export type { JournalPosition, SealedBatch, Tally } from './segments.ts'
export { SENDERS_MAX } from './senders.ts'
