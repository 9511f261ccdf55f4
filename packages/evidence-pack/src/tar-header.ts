/** Headers of a tar archive (POSIX.1-2024, `pax`, "ustar Interchange Format"), as they are written for a file of a pack. */

export const BLOCK_BYTES = 512
const SIZE_AT = 124
const SIZE_BYTES = 12
const CHECKSUM_AT = 148

/** What was written into a header, however odd: whether it is the header of a pack is found by making it anew. */
export interface ReadHeader {
  readonly name: string
  /** Null where it is no number, or larger than a number can say exactly. */
  readonly size: number | null
}

export function readTarHeader(block: Uint8Array): ReadHeader {
  const end = block.indexOf(0)
  const name = String.fromCharCode(...block.subarray(0, Math.min(end < 0 ? 100 : end, 100)))
  return { name, size: readSize(block.subarray(SIZE_AT, SIZE_AT + SIZE_BYTES)) }
}

function readSize(field: Uint8Array): number | null {
  const [first = 0] = field
  // Larger ones than eleven octal digits can say are written as a number of base 256.
  if (first === 0x80) {
    const size = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0)
    return Number.isSafeInteger(size) ? size : null
  }
  const digits = /^([0-7]{1,11})[ \0]/.exec(String.fromCharCode(...field))?.[1]
  return digits === undefined ? null : Number.parseInt(digits, 8)
}

/** The header of a file of a pack: everything but its name and size is fixed. `name` is of ASCII and up to 100 characters. */
export function tarHeader(name: string, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES)
  const write = (at: number, text: string): void => {
    for (let index = 0; index < text.length; index += 1) block[at + index] = text.charCodeAt(index)
  }
  const octal = (at: number, value: number, digits: number): void =>
    write(at, `${value.toString(8).padStart(digits, '0')} `)
  write(0, name)
  octal(100, 0o644, 6)
  octal(108, 0, 6)
  octal(116, 0, 6)
  if (size <= 0o77777777777) octal(SIZE_AT, size, 11)
  else {
    block[SIZE_AT] = 0x80
    for (let rest = size, at = SIZE_AT + SIZE_BYTES - 1; at > SIZE_AT; at -= 1, rest = Math.floor(rest / 256))
      block[at] = rest % 256
  }
  octal(136, 0, 11)
  write(156, '0')
  write(257, 'ustar\0')
  write(263, '00')
  octal(329, 0, 6)
  octal(337, 0, 6)
  // The checksum is over the block with spaces in its own place.
  const sum = block.reduce((total, byte) => total + byte, 8 * 32)
  octal(CHECKSUM_AT, sum, 6)
  return block
}
