/**
 * Rows of text as bytes, kept where the garbage collector need not look. A row is appended to a block and never changed, so
 * versions share the blocks, and each says for itself which of them it has and how much of each is in use.
 *
 * As objects, 100,000 researchers are a few million things for V8 to mark, and move while they are young; as bytes they
 * are a few hundred buffers.
 */
const BLOCK_BYTES = 256 * 1024
/** A block of which less is in use is to be freed. */
const USED_MIN = 0.75
const NOTHING: Buffer = Buffer.alloc(0)
const LINE_FEED = 0x0a
/** Counted for the whole process, so that no two rows ever have one position. */
let blocksMade = 0

interface Block {
  readonly number: number
  /** Rows, each with a line feed. A row larger than a block has one of its own. */
  readonly bytes: Buffer
  /** Bytes that have been written. */
  written: number
}

/** Makes the memory of a block. */
export type AllocateBlock = (bytes: number) => Buffer

/** Not from Node's pool, which is kept whole for as long as any part of it lives. */
const allocateOwn: AllocateBlock = (bytes) => Buffer.allocUnsafeSlow(bytes)
/** Memory that other threads may be given, without a copy. */
export const allocateShared: AllocateBlock = (bytes) => Buffer.from(new SharedArrayBuffer(bytes))

/** A version of the rows. It is changed only before it is in force; `copy` gives one that may be changed. */
export class RowBlocks {
  readonly #blocks: Map<number, Block>
  /** By block: bytes of the rows that are in use. */
  readonly #used: Map<number, number>
  readonly #allocate: AllocateBlock
  #last: Block | undefined

  private constructor(
    blocks: Map<number, Block>,
    used: Map<number, number>,
    allocate: AllocateBlock,
    last: Block | undefined,
  ) {
    this.#blocks = blocks
    this.#used = used
    this.#allocate = allocate
    this.#last = last
  }

  static empty(allocate = allocateOwn): RowBlocks {
    return new RowBlocks(new Map(), new Map(), allocate, undefined)
  }

  copy(): RowBlocks {
    return new RowBlocks(new Map(this.#blocks), new Map(this.#used), this.#allocate, this.#last)
  }

  /** The memory of the blocks that another version does not have. */
  *addedSince(before: RowBlocks): Generator<readonly [number: number, bytes: Buffer]> {
    for (const [number, { bytes }] of this.#blocks) if (!before.#blocks.has(number)) yield [number, bytes]
  }

  /** The blocks that another version has and this one has not. */
  freedSince(before: RowBlocks): readonly number[] {
    return [...before.#blocks.keys()].filter((number) => !this.#blocks.has(number))
  }

  /** Takes a block whose rows another thread appends: they are read here, and nothing is appended. */
  putBlock(number: number, bytes: Buffer): void {
    this.#blocks.set(number, { number, bytes, written: bytes.length })
  }

  /** A view of the bytes of the row at a position; empty where its block is gone. */
  get(position: number): Buffer {
    const block = this.#blocks.get(Math.floor(position / BLOCK_BYTES))
    if (!block) return NOTHING
    const from = position % BLOCK_BYTES
    return block.bytes.subarray(from, block.bytes.indexOf(LINE_FEED, from))
  }

  /** Adds a row, which holds no line feed, and returns its position. */
  append(row: Buffer): number {
    const size = row.length + 1
    const block =
      this.#last && this.#last.written + size <= this.#last.bytes.length ? this.#last : this.#begin(size)
    const from = block.written
    row.copy(block.bytes, from)
    block.bytes[from + row.length] = LINE_FEED
    block.written += size
    const position = block.number * BLOCK_BYTES + from
    this.#count(position, size)
    return position
  }

  /** Counts a row as not in use any more. */
  release(position: number): void {
    this.#count(position, -this.get(position).length - 1)
  }

  /** The blocks that are to be freed. */
  sparseBlocks(): readonly number[] {
    return [...this.#blocks.values()]
      .filter((block) => block !== this.#last)
      .filter(({ number, written }) => (this.#used.get(number) ?? 0) < USED_MIN * written)
      .map(({ number }) => number)
  }

  /** The positions of all rows of a block that has any in use, the unused ones among them. */
  *positionsIn(number: number): Generator<number> {
    const block = this.#blocks.get(number)
    if (!block || !this.#used.get(number)) return
    for (let from = 0; from < block.written; from = block.bytes.indexOf(LINE_FEED, from) + 1)
      yield number * BLOCK_BYTES + from
  }

  free(number: number): void {
    this.#blocks.delete(number)
    this.#used.delete(number)
  }

  #count(position: number, bytes: number): void {
    const number = Math.floor(position / BLOCK_BYTES)
    this.#used.set(number, (this.#used.get(number) ?? 0) + bytes)
  }

  #begin(bytesMin: number): Block {
    const bytes = this.#allocate(Math.max(BLOCK_BYTES, bytesMin))
    const block = { number: blocksMade, bytes, written: 0 }
    blocksMade += 1
    this.#blocks.set(block.number, block)
    this.#last = block
    return block
  }
}

/** A set of positions, as bits: a row that says an id is longer than the eight bytes for which one stands. */
export class PositionSet {
  readonly #blocks = new Map<number, Uint8Array>()

  add(position: number): void {
    const number = Math.floor(position / BLOCK_BYTES)
    let bits = this.#blocks.get(number)
    if (!bits) {
      bits = new Uint8Array(BLOCK_BYTES / 64)
      this.#blocks.set(number, bits)
    }
    const at = position % BLOCK_BYTES
    bits[at >>> 6] = (bits[at >>> 6] ?? 0) | bitOf(at)
  }

  has(position: number): boolean {
    const at = position % BLOCK_BYTES
    const bits = this.#blocks.get(Math.floor(position / BLOCK_BYTES))
    return ((bits?.[at >>> 6] ?? 0) & bitOf(at)) !== 0
  }
}

const bitOf = (at: number): number => 1 << ((at >>> 3) & 7)
