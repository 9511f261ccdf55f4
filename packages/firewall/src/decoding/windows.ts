/**
 * libddwaf reads the first 4,095 bytes of a string and ignores the rest, so that an attack behind 4 KB of filler would
 * pass. Longer values are cut into windows that overlap by more than the length of the attacks that rules describe.
 */
export const WINDOW_BYTES = 4_000
const OVERLAP_BYTES = 512

/** The text in pieces that the engine reads whole. */
export function windowsOf(text: string): string[] {
  // A UTF-16 unit is at most 3 bytes of UTF-8, so short texts need no count.
  if (text.length * 3 <= WINDOW_BYTES || Buffer.byteLength(text) <= WINDOW_BYTES) return [text]
  const bytes = Buffer.from(text, 'utf8')
  const windows: string[] = []
  for (let start = 0; ; start = characterStart(bytes, start + WINDOW_BYTES - OVERLAP_BYTES)) {
    const end = Math.min(bytes.length, characterStart(bytes, start + WINDOW_BYTES))
    windows.push(bytes.toString('utf8', start, end))
    if (end >= bytes.length) return windows
  }
}

/** The nearest index at or before `index` at which a character begins. */
function characterStart(bytes: Buffer, index: number): number {
  let at = Math.min(index, bytes.length)
  while (at > 0 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}
