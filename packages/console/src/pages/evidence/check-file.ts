/** Checks a pack of evidence in the browser: the file goes nowhere, and no more of it is in memory than a piece. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { type PackVerification, type StartSha256, verifyPack } from '@sallyport/evidence-pack'

/** The Web Crypto API hashes only what is whole, and a pack may be larger than memory. */
const startSha256: StartSha256 = () => {
  const hash = sha256.create()
  return { update: (bytes) => void hash.update(bytes), digest: () => bytesToHex(hash.digest()) }
}

/** How often progress is told: the page is drawn anew each time. */
const TOLD_EVERY_BYTES = 4 * 1024 * 1024

export interface FileCheck {
  readonly file: File
  /** Of the key that must have signed it; empty for any. */
  readonly fingerprint: string
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number) => void
}

/** Rejects where it was given up, or where the browser cannot read the file. */
export const checkFile = ({ file, fingerprint, signal, onProgress }: FileCheck): Promise<PackVerification> =>
  verifyPack(piecesOf(file, signal, onProgress), {
    sha256: startSha256,
    expectedFingerprint: fingerprint,
  }).then((verification) => {
    signal.throwIfAborted()
    return verification
  })

async function* piecesOf(file: File, signal: AbortSignal, onProgress: (bytes: number) => void) {
  const reader = file.stream().getReader()
  let bytes = 0
  let told = 0
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.length
      if (bytes - told >= TOLD_EVERY_BYTES) {
        told = bytes
        onProgress(bytes)
      }
      yield value
    }
  } finally {
    await reader.cancel()
  }
}
