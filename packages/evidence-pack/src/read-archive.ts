/**
 * Reads the archive of a pack. Each header is made anew from the name and size that it says and compared to the byte, the padding
 * is zeros, and nothing follows the end, so the archive is a function of the files in it. What is no file of a pack ends the
 * reading: however large or strange the rest is, it costs nothing.
 */
import { ByteReader } from './byte-reader.ts'
import { printable } from './encoding.ts'
import type { LineChain } from './line-chain.ts'
import type { PackFindings } from './pack-findings.ts'
import { isPackFile, MANIFEST_FILE, SIGNATURE_FILE } from './pack-format.ts'
import type { StartSha256 } from './sha256.ts'
import { BLOCK_BYTES, readTarHeader, tarHeader } from './tar-header.ts'

const SMALL_FILE_BYTES_MAX = 1024 * 1024
/** Twice the files of any format: who repeats files is told so without end. */
const FILES_MAX = 20

export interface ReadFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  /** The content of the manifest and the signature; empty for others. */
  readonly content: Uint8Array
}

export interface ArchiveReading {
  readonly start: StartSha256
  readonly findings: PackFindings
  /** What follows the lines of a file, if anything does. */
  readonly chainOf: (name: string) => LineChain | undefined
}

/** The files up to the end of the archive, or to where it is broken. */
export async function readArchive(
  archive: AsyncIterable<Uint8Array>,
  reading: ArchiveReading,
): Promise<ReadFile[]> {
  const { findings } = reading
  const reader = new ByteReader(archive)
  const files: ReadFile[] = []
  findings.note('archive')
  const fail = (problem: string): void => findings.note('archive', problem)
  try {
    while (files.length < FILES_MAX) {
      const at = reader.taken
      const block = await reader.exactly(BLOCK_BYTES)
      if (block.length < BLOCK_BYTES) return failed(files, fail, 'the archive ends too early')
      if (isZero(block)) {
        await readEnd(reader, fail)
        return files
      }
      const { name, size } = readTarHeader(block)
      if (size === null || !isPackFile(name))
        return failed(
          files,
          fail,
          `what begins at byte ${at} is no file of a pack: ${printable(name) || 'no name'}`,
        )
      if (!isSame(block, tarHeader(name, size)))
        fail(`the archive is not as it was written: the header of ${name} at byte ${at}`)
      const file = await readFile(reader, name, size, reading)
      if (file.bytes < size) return failed(files, fail, `the archive ends in the middle of ${name}`)
      files.push(file)
      if (!isZero(await reader.exactly(-size & (BLOCK_BYTES - 1))))
        fail(`the archive is not as it was written: what follows ${name} before byte ${reader.taken}`)
    }
    return failed(files, fail, 'the archive holds more files than a pack has')
  } catch (error) {
    return failed(
      files,
      fail,
      `the archive cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  } finally {
    await reader.close()
  }
}

function failed(files: ReadFile[], fail: (problem: string) => void, problem: string): ReadFile[] {
  fail(problem)
  return files
}

/** A second block of zeros, and nothing else. */
async function readEnd(reader: ByteReader, fail: (problem: string) => void): Promise<void> {
  const block = await reader.exactly(BLOCK_BYTES)
  if (block.length < BLOCK_BYTES || !isZero(block) || (await reader.exactly(1)).length > 0)
    fail(`the archive is not as it was written: its end, before byte ${reader.taken}`)
}

async function readFile(
  reader: ByteReader,
  name: string,
  size: number,
  { start, chainOf, findings }: ArchiveReading,
): Promise<ReadFile> {
  const hash = start()
  const chain = chainOf(name)
  const isKept = name === MANIFEST_FILE || name === SIGNATURE_FILE
  const isSmall = size <= SMALL_FILE_BYTES_MAX
  if (isKept && !isSmall) findings.note('manifest', `${name} is larger than any that is written`)
  const content = new Uint8Array(isKept && isSmall ? size : 0)
  let filled = 0
  const bytes = await reader.pass(size, (piece) => {
    hash.update(piece)
    if (content.length > 0) content.set(piece, filled)
    filled += piece.length
    chain?.write(piece)
  })
  chain?.end()
  return { name, bytes, sha256: hash.digest(), content }
}

const isZero = (block: Uint8Array): boolean => block.every((byte) => byte === 0)
const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])
