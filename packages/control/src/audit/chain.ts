/**
 * The hash chain of an audit log, as it is stored and as evidence packs carry it. An entry's hash is SHA-256 over the bytes
 * of the hash before it and the entry's text, and entries are numbered from 1 without a gap.
 */
import { createHash } from 'node:crypto'

/** An entry of the chain, or where the chain has come to. Hashes are hex. */
export interface ChainPosition {
  readonly sequence: number
  readonly hash: string
}

export interface ChainLink extends ChainPosition {
  /** The hash before, where the link says it itself. */
  readonly previous?: string
  /** Null where the text is withheld: the hash is believed then, and keeps the chain whole. */
  readonly entry: string | null
}

export const CHAIN_START: ChainPosition = { sequence: 0, hash: '' }

/** What keeps `link` from following `last`: its place, or its hash. Null where it follows. */
export function chainFault(last: ChainPosition, link: ChainLink): 'place' | 'hash' | null {
  if (link.sequence !== last.sequence + 1) return 'place'
  if (link.previous !== undefined && link.previous !== last.hash) return 'place'
  if (link.entry === null) return null
  const expected = createHash('sha256').update(Buffer.from(last.hash, 'hex')).update(link.entry)
  return expected.digest('hex') === link.hash ? null : 'hash'
}
