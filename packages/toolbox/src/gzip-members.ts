/**
 * Text that is compressed once and sent to many, each of whom is also sent what is for it alone. A gzip file is one member or several,
 * one after the other (RFC 1952, section 2.2), so members that were made apart are joined by sending them in turn; whoever unpacks gzip reads them.
 *
 * Each member says in the extra field of its header (section 2.3.1.1) how long it is, as BGZF's do. A reader that waits until a member is
 * there whole unpacks it in one short call: it holds one member at a time, and needs none of the threads that look names up and write files.
 */
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, inflateRawSync } from 'node:zlib'

/** Bytes of text that a member holds at most. */
export const MEMBER_TEXT_BYTES_MAX = 128 * 1024
/** Bytes of a block that is stored as it is, at most (RFC 1951, section 3.2.4). */
const STORED_BYTES_MAX = 0xffff
const STORED_HEADER_BYTES = 5

/** Identification, "deflate", "has an extra field", no time, nothing said of the compressor, no known system. */
const FIXED = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255])
/** The extra field: its length, the name of its only part, that part's length. */
const EXTRA = Buffer.from([8, 0, 0x53, 0x4c, 4, 0])
const LENGTH_BYTES = 4
const HEADER_BYTES = FIXED.length + EXTRA.length + LENGTH_BYTES
const TRAILER_BYTES = 8
/** Text that cannot be compressed grows by some bytes for each 16 KiB. */
const MEMBER_BYTES_MAX = MEMBER_TEXT_BYTES_MAX + 1024

const deflate = promisify(deflateRaw)
/** The quickest: a better one leaves a fiftieth less of JSON, and takes twice as long. */
const COMPRESSION = { level: constants.Z_BEST_SPEED }

/** Compresses text of any length into members. */
export async function packedMembers(text: Uint8Array): Promise<Buffer> {
  const members: Buffer[] = []
  for (const part of parts(text, MEMBER_TEXT_BYTES_MAX))
    members.push(...member(part, [await deflate(part, COMPRESSION)]))
  return Buffer.concat(members)
}

/** The text in members as it is, whose length so says nothing but its own. */
export function storedMembers(text: Uint8Array): Buffer {
  return Buffer.concat(
    [...parts(text, MEMBER_TEXT_BYTES_MAX)].flatMap((part) => member(part, [...storedBlocks(part)])),
  )
}

function* storedBlocks(text: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < text.length; at += STORED_BYTES_MAX) {
    const block = text.subarray(at, at + STORED_BYTES_MAX)
    const header = Buffer.alloc(STORED_HEADER_BYTES)
    header[0] = at + block.length === text.length ? 1 : 0
    header.writeUInt16LE(block.length, 1)
    header.writeUInt16LE(~block.length & 0xffff, 3)
    yield header
    yield Buffer.from(block.buffer, block.byteOffset, block.length)
  }
}

function member(text: Uint8Array, blocks: readonly Buffer[]): Buffer[] {
  const bytes = blocks.reduce((sum, { length }) => sum + length, HEADER_BYTES + TRAILER_BYTES)
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(bytes)
  const trailer = Buffer.alloc(TRAILER_BYTES)
  trailer.writeUInt32LE(crc32(text))
  trailer.writeUInt32LE(text.length, 4)
  return [FIXED, EXTRA, length, ...blocks, trailer]
}

function* parts(text: Uint8Array, bytesMax: number): Generator<Uint8Array> {
  for (let at = 0; at < text.length; at += bytesMax) yield text.subarray(at, at + bytesMax)
}

/** What arrived is no member as these functions make them. */
export class MemberError extends Error {
  override readonly name = 'MemberError'
}

/**
 * Unpacks members that arrive in chunks which end anywhere: after each `add`, `next` until it has none. Keeps less than one member, and
 * makes no more than `MEMBER_TEXT_BYTES_MAX` of it, whatever it says.
 *
 * The memory of a text is given back at the next call. Left to V8, which collects it when some 16 MiB have come together, the texts of a
 * large installation took as much as half of what is kept of them.
 */
export class MemberReader {
  #chunk: Buffer = Buffer.alloc(0)
  #at = 0
  /** Copies of the chunks before, of which something is not taken yet. */
  #begun: Buffer[] = []
  #begunBytes = 0
  /** How long the rest of a member is whose header was taken. */
  #restBytes: number | undefined
  /** What was returned last. */
  #text: Buffer<ArrayBuffer> | undefined

  /** The chunk must stay as it is until `next` has returned undefined. */
  add(chunk: Buffer): void {
    this.#chunk = chunk
    this.#at = 0
  }

  /**
   * The text of the next member that is there whole, which is there until the next call: what is kept of it must be copied. Throws a
   * `MemberError` at anything else than a member.
   */
  next(): Buffer | undefined {
    if (this.#text) giveBack(this.#text)
    this.#text = undefined
    if (this.#restBytes === undefined) {
      const header = this.#take(HEADER_BYTES)
      if (!header) return undefined
      this.#restBytes = bytesAfter(header)
    }
    const rest = this.#take(this.#restBytes)
    if (!rest) return undefined
    this.#restBytes = undefined
    this.#text = textOf(rest)
    return this.#text
  }

  #take(bytes: number): Buffer | undefined {
    const piece = this.#chunk.subarray(this.#at, this.#at + bytes - this.#begunBytes)
    this.#at += piece.length
    if (this.#begunBytes + piece.length < bytes) {
      if (piece.length > 0) this.#begun.push(Buffer.from(piece))
      this.#begunBytes += piece.length
      return undefined
    }
    if (this.#begunBytes === 0) return piece
    const taken = Buffer.concat([...this.#begun, piece])
    this.#begun = []
    this.#begunBytes = 0
    return taken
  }
}

/** How many bytes follow a member's header. */
function bytesAfter(header: Buffer): number {
  const isOurs = header.indexOf(FIXED) === 0 && header.indexOf(EXTRA) === FIXED.length
  if (!isOurs) throw new MemberError('gzip whose members do not say how long they are')
  const bytes = header.readUInt32LE(HEADER_BYTES - LENGTH_BYTES)
  if (bytes < HEADER_BYTES + TRAILER_BYTES || bytes > MEMBER_BYTES_MAX)
    throw new MemberError('a gzip member of an impossible length')
  return bytes - HEADER_BYTES
}

function textOf(rest: Buffer): Buffer<ArrayBuffer> {
  const trailerAt = rest.length - TRAILER_BYTES
  const textBytes = rest.readUInt32LE(trailerAt + 4)
  if (textBytes > MEMBER_TEXT_BYTES_MAX) throw new MemberError('a gzip member of too much text')
  const text = inflated(rest.subarray(0, trailerAt), textBytes)
  if (text.length !== textBytes || crc32(text) !== rest.readUInt32LE(trailerAt))
    throw new MemberError('a damaged gzip member')
  return text
}

/**
 * In one piece of memory, as long as the text is to be and a byte more: once a piece is full, zlib is given another of the same length, whether
 * anything follows or not, so that twice as much memory would wait for the collector.
 */
function inflated(blocks: Buffer, textBytes: number): Buffer<ArrayBuffer> {
  try {
    return inflateRawSync(blocks, {
      chunkSize: Math.max(constants.Z_MIN_CHUNK, textBytes + 1),
      maxOutputLength: Math.max(1, textBytes),
    })
  } catch (error) {
    throw new MemberError('a damaged gzip member', { cause: error })
  }
}

/** Frees the memory of a text now. That of a short one is a part of Node's pool, in which other things lie. */
function giveBack({ buffer, length }: Buffer<ArrayBuffer>): void {
  if (length >= Buffer.poolSize) buffer.transfer(0)
}
