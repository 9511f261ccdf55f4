/**
 * The config feed's text as it arrives: plain from a control plane that does not compress it, or in members of gzip
 * (`gzip-members.ts` of the toolbox). Those are unpacked where the feed is read, in steps of 128 KiB of text: in the threads that Node has
 * for it a change would wait behind names that nobody answers for and a slow disk.
 */
import type { IncomingMessage } from 'node:http'
import { MemberError, MemberReader } from '@sallyport/toolbox'

/** After each `add`, `next` until it has none. */
export interface FeedPieces {
  /** The chunk must stay as it is until `next` has returned undefined. */
  add(chunk: Buffer): void
  /** What it returns is there until the next call. */
  next(): Buffer | undefined
}

class PlainPieces implements FeedPieces {
  #chunk: Buffer | undefined

  add(chunk: Buffer): void {
    this.#chunk = chunk
  }

  next(): Buffer | undefined {
    const chunk = this.#chunk
    this.#chunk = undefined
    return chunk
  }
}

/** Throws a `MemberError` where the feed is encoded in a way that was not asked for, as by somebody between. */
export function piecesOf({ headers }: IncomingMessage): FeedPieces {
  // Names of codings have no case, and gzip has an older one (RFC 9110, section 8.4.1.3).
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') return new PlainPieces()
  if (encoding === 'gzip' || encoding === 'x-gzip') return new MemberReader()
  throw new MemberError('the config feed is encoded in a way that nobody asked for')
}
