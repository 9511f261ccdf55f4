/**
 * The records of a journal segment. A payload is text without line feeds, whatever else it says. Each record begins with a
 * line feed and a marker, so that after a damaged stretch the next whole record can be found again. The marker ends in the
 * number of the format.
 *
 *     0  marker      "\nS2"
 *     3  checksum    CRC-32 of everything after it, u32 little-endian
 *     7  kind        one ASCII letter
 *     8  length      bytes of the payload, u32
 *    12  split       where the payload's second part begins, u32
 *    16  reference   number of the intent that the record is about, u48; 0 for none
 *    22  sender      number of the sender that the record declares or names, u48; 0 for none
 *    28  payload     UTF-8
 */
import { crc32 } from 'node:zlib'

const CHECKSUM_OFFSET = 3
const KIND_OFFSET = 7
const LENGTH_OFFSET = 8
const SPLIT_OFFSET = 12
const REFERENCE_OFFSET = 16
const SENDER_OFFSET = 22
export const JOURNAL_FORMAT = 2
const MARKER = Buffer.from(`\nS${JOURNAL_FORMAT}`, 'latin1')
export const RECORD_HEADER_BYTES = 28
const UINT32_VALUES = 2 ** 32

const letter = (text: string): number => text.charCodeAt(0)

/** What a record is about. */
export const RECORD_KINDS = {
  /** First of each segment: `{format, segment, createdAt}`. */
  segment: letter('H'),
  /** Who causes events. Stands before the first record of the segment that names it. */
  sender: letter('S'),
  /** An event begins. The payload is the event as it reads if the process dies now. */
  intent: letter('I'),
  /** The end of an intended event: what follows the first `split` bytes of its intent. */
  outcome: letter('O'),
  /** The end of an intended event: a whole event that replaces the intent. */
  replacement: letter('R'),
  /** A whole event that had no intent. */
  event: letter('E'),
  /** A batch was put together: `{id, from, to, events}`; written before it is first sent. */
  sealed: letter('B'),
  /** A batch was acknowledged, or refused for good: `{id, refused}`. */
  acknowledged: letter('A'),
} as const

/** Whether a record of this kind adds an event to a batch. */
export const isEventRecord = (kind: number): boolean =>
  kind === RECORD_KINDS.outcome || kind === RECORD_KINDS.event || kind === RECORD_KINDS.replacement

/** What a record's header says of it. */
interface RecordHeader {
  readonly kind: number
  readonly split: number
  readonly reference: number
  readonly sender: number
}

/** A record, and where it lies in the bytes it was found in. */
export interface RecordView extends RecordHeader {
  readonly payloadStart: number
  readonly end: number
}

/** Memory that records are written into. A `DataView` writes numbers several times as fast as a `Buffer`. */
export interface RecordMemory {
  readonly bytes: Buffer
  readonly view: DataView
}

export function recordMemory(length: number): RecordMemory {
  const bytes = Buffer.allocUnsafe(length)
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, length) }
}

/** Fills in the header of a record whose payload is already in place, `RECORD_HEADER_BYTES` after `start`. */
export function writeRecordHeader(
  { bytes, view }: RecordMemory,
  start: number,
  payloadBytes: number,
  { kind, split, reference, sender }: RecordHeader,
): void {
  for (let index = 0; index < MARKER.length; index += 1) view.setUint8(start + index, MARKER[index] ?? 0)
  view.setUint8(start + KIND_OFFSET, kind)
  view.setUint32(start + LENGTH_OFFSET, payloadBytes, true)
  view.setUint32(start + SPLIT_OFFSET, split, true)
  setUint48(view, start + REFERENCE_OFFSET, reference)
  setUint48(view, start + SENDER_OFFSET, sender)
  const end = start + RECORD_HEADER_BYTES + payloadBytes
  view.setUint32(start + CHECKSUM_OFFSET, crc32(bytes.subarray(start + KIND_OFFSET, end)), true)
}

function setUint48(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % UINT32_VALUES, true)
  view.setUint16(at + 4, value / UINT32_VALUES, true)
}

/**
 * Reads the record at `start`, or returns undefined where there is no whole one before `limit`. With `verify` the
 * checksum is compared too; without it, the bytes are trusted to be those that this process wrote.
 */
export function readRecord(
  bytes: Buffer,
  start: number,
  limit: number,
  verify: boolean,
): RecordView | undefined {
  const payloadStart = start + RECORD_HEADER_BYTES
  if (payloadStart > limit) return undefined
  if (bytes[start] !== MARKER[0] || bytes[start + 1] !== MARKER[1] || bytes[start + 2] !== MARKER[2])
    return undefined
  const end = payloadStart + bytes.readUInt32LE(start + LENGTH_OFFSET)
  const split = bytes.readUInt32LE(start + SPLIT_OFFSET)
  if (end > limit || payloadStart + split > end) return undefined
  if (
    verify &&
    crc32(bytes.subarray(start + KIND_OFFSET, end)) !== bytes.readUInt32LE(start + CHECKSUM_OFFSET)
  )
    return undefined
  const reference = bytes.readUIntLE(start + REFERENCE_OFFSET, 6)
  const sender = bytes.readUIntLE(start + SENDER_OFFSET, 6)
  return { kind: bytes[start + KIND_OFFSET] ?? 0, split, reference, sender, payloadStart, end }
}

/** Where the next whole record after a damaged byte begins, or `bytes.length` where there is none. */
export function findNextRecord(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(MARKER, from); at !== -1; at = bytes.indexOf(MARKER, at + 1))
    if (readRecord(bytes, at, bytes.length, true)) return at
  return bytes.length
}

/** Another version has written the journal: the message says what the operator does. */
export class OtherFormat extends Error {
  readonly code = 'OTHER_FORMAT'
}

/** Whether these are the bytes of a segment of another format: its marker is there, and not one record of ours. */
export const isOtherFormat = (bytes: Buffer): boolean =>
  bytes.length >= MARKER.length &&
  bytes[0] === MARKER[0] &&
  bytes[1] === MARKER[1] &&
  bytes[2] !== MARKER[2] &&
  findNextRecord(bytes, 0) === bytes.length
