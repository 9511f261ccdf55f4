/**
 * The hash chain of an audit log, as it is stored and as evidence packs carry it. An entry's hash is SHA-256 over the bytes
 * of the hash before it and the entry's text, and entries are numbered from 1 without a gap.
 */
import { bytesOfHex } from './encoding.ts'
import { type StartSha256, sha256Of } from './sha256.ts'

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

const utf8 = new TextEncoder()

/** What keeps `link` from following `last`: its place, or its hash. Null where it follows. */
export function chainFault(
  start: StartSha256,
  last: ChainPosition,
  link: ChainLink,
): 'place' | 'hash' | null {
  if (link.sequence !== last.sequence + 1) return 'place'
  if (link.previous !== undefined && link.previous !== last.hash) return 'place'
  if (link.entry === null) return null
  const expected = sha256Of(start, bytesOfHex(last.hash), utf8.encode(link.entry))
  return expected === link.hash ? null : 'hash'
}
