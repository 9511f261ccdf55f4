/**
 * Reads segments piece by piece, each piece into the same memory, and keeps the file of the last one open. A segment that was deleted
 * or cut has fewer bytes than are asked for, down to none.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { readRecord } from './record-format.ts'
import type { Segment } from './segments.ts'

/** What is read in one go is worked through in one go, and requests wait meanwhile: some hundred of them, 0.3 ms. */
const CHUNK_BYTES = 256 * 1024

export class ChunkReader {
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  #file: { readonly segment: number; readonly handle: FileHandle } | undefined

  /** Reads a piece of a segment, long enough to hold at least one whole record. It is good until the next one is read. */
  async read(segment: Segment, start: number, end: number): Promise<Buffer> {
    let isFresh = this.#file?.segment !== segment.number
    let handle = await this.#open(segment)
    for (;;) {
      const wanted = Math.min(this.#chunk.length, end - start)
      const { bytesRead } = await handle.read(this.#chunk, 0, wanted, start)
      if (bytesRead < wanted && !isFresh) {
        // The segment may have been deleted and restored since the file was opened.
        await this.close()
        handle = await this.#open(segment)
        isFresh = true
        continue
      }
      const all = bytesRead < wanted || wanted === end - start
      if (all || readRecord(this.#chunk, 0, bytesRead, false)) return this.#chunk.subarray(0, bytesRead)
      this.#chunk = Buffer.allocUnsafe(this.#chunk.length * 2)
    }
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.handle.close()
  }

  async #open({ number, path }: Segment): Promise<FileHandle> {
    if (this.#file?.segment === number) return this.#file.handle
    await this.close()
    const handle = await open(path, 'r')
    this.#file = { segment: number, handle }
    return handle
  }
}
