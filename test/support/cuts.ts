/** Bytes as they come from a network: cut anywhere. */
import fc from 'fast-check'

/** Cuts bytes at some places. */
export function* cut(bytes: Buffer, places: readonly number[]): Generator<Buffer> {
  let from = 0
  for (const to of [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  )) {
    if (to > from) yield Buffer.from(bytes.subarray(from, to))
    from = Math.max(from, to)
  }
}

/** Places for `cut`. */
export const places = fc.array(fc.nat(), { maxLength: 12 })
