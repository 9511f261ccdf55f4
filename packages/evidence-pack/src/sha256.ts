/** SHA-256 in pieces, synchronously. Node has one and browsers have none, so whoever checks a pack brings it. */

export interface Sha256 {
  update(bytes: Uint8Array): void
  /** Lower-case hex; nothing may be added after it. */
  digest(): string
}

/** Begins a hash. */
export type StartSha256 = () => Sha256

/** Of bytes that are all there. */
export function sha256Of(start: StartSha256, ...pieces: readonly Uint8Array[]): string {
  const hash = start()
  for (const piece of pieces) hash.update(piece)
  return hash.digest()
}
