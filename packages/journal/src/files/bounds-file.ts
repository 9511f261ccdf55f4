/**
 * The bounds of the batch under way and the last acknowledgement, in a file whose room was taken ahead.
 *
 * They belong into the segments, as records. On a disk that is full they cannot be written there, and without them nothing is
 * sent or deleted, so that the disk would stay full for ever. Then they are written over what stands here: that takes no room. Of two
 * slots one is whole at any time; the higher number is the later.
 */
import { readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type JournalPosition, OWNER_ONLY, type SealedBatch } from '../segments.ts'

/** How far the upload came. */
export interface Bounds {
  /** Everything before this is acknowledged. */
  readonly acknowledged: JournalPosition
  /** A batch that was put together and not acknowledged. */
  readonly sealed: SealedBatch | undefined
}

interface Slot extends Bounds {
  readonly number: number
}

export const BOUNDS_FILE = 'bounds'
const SLOT_BYTES = 2_048
const SLOTS = 2
const CHECKSUM_CHARS = 8

/** What the file of a directory says; undefined where there is none, or nothing was ever written into it. */
export function readBounds(directory: string): Bounds | undefined {
  return readSlot(join(directory, BOUNDS_FILE))
}

function readSlot(path: string): Slot | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    return undefined
  }
  const slots = Array.from({ length: SLOTS }, (_, slot) =>
    parseSlot(bytes.toString('latin1', slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES)),
  )
  return slots.flatMap((slot) => slot ?? []).sort((one, other) => other.number - one.number)[0]
}

function parseSlot(text: string): Slot | undefined {
  const json = text.slice(CHECKSUM_CHARS).trim()
  return json !== '' && text.slice(0, CHECKSUM_CHARS) === checksum(json) ? JSON.parse(json) : undefined
}

const checksum = (text: string): string => crc32(text).toString(16).padStart(CHECKSUM_CHARS, '0')

export class BoundsFile {
  readonly #path: string
  #file: FileHandle | undefined
  #number: number
  #last: Promise<void> = Promise.resolve()

  constructor(directory: string) {
    this.#path = join(directory, BOUNDS_FILE)
    this.#number = readSlot(this.#path)?.number ?? 0
  }

  /** Takes the room, where that has not been done. Rejects where the disk has none. */
  async allocate(): Promise<void> {
    if (this.#file) return
    const file = await open(this.#path, 'a+', OWNER_ONLY)
    try {
      const { size } = await file.stat()
      const missing = SLOTS * SLOT_BYTES - size
      if (missing > 0) await file.write(Buffer.alloc(missing, ' '))
      await file.sync()
    } finally {
      await file.close()
    }
    this.#file = await open(this.#path, 'r+')
  }

  /** Resolves when the disk has them. */
  note(bounds: Bounds): Promise<void> {
    this.#last = this.#last.catch(() => undefined).then(() => this.#write(bounds))
    return this.#last
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined)
    await this.#file?.close()
  }

  async #write(bounds: Bounds): Promise<void> {
    await this.allocate()
    const number = this.#number + 1
    const json = JSON.stringify({ number, ...bounds } satisfies Slot)
    const text = `${checksum(json)}${json}`.padEnd(SLOT_BYTES, ' ')
    await this.#file?.write(Buffer.from(text, 'latin1'), 0, SLOT_BYTES, (number % SLOTS) * SLOT_BYTES)
    await this.#file?.datasync()
    this.#number = number
  }
}
