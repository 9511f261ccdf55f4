/** The check of an evidence pack, with Node's SHA-256. */
import type { Readable } from 'node:stream'
import { type PackVerification, verifyPack as verify } from '@sallyport/evidence-pack'
import { nodeSha256 } from '../../audit/chain.ts'

/**
 * @param archive the bytes of the pack
 * @param expectedFingerprint of the key that must have signed it; without it any key will do, and the answer names it
 */
export const verifyPack = (archive: Readable, expectedFingerprint?: string): Promise<PackVerification> =>
  verify(archive, { sha256: nodeSha256, expectedFingerprint })
