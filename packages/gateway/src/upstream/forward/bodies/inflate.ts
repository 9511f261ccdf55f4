/** Compressed bodies as they were before. */
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/** What a body is compressed by; `''` where it is not. */
export type Coding = '' | 'gzip' | 'deflate' | 'br'

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['', ''],
  ['identity', ''],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
])

/** The coding that a `Content-Encoding` says; undefined for one that is not known, and for several. */
export const codingOf = (contentEncoding: string): Coding | undefined =>
  CODINGS.get(contentEncoding.trim().toLowerCase())

/**
 * Of what a client takes, what `codingOf` knows: an origin that compresses otherwise would answer what cannot be read. Members that
 * are kept are kept as they are; where none is, nothing is compressed.
 */
export function withKnownCodings(acceptEncoding: string): string {
  const kept = acceptEncoding.split(',').filter((member) => {
    const [name = ''] = member.split(';', 1)
    return name.trim() !== '' && codingOf(name) !== undefined
  })
  return kept.length === 0 ? 'identity' : kept.join(',').trim()
}

/** A stream that undoes a coding. `first` is the beginning of the body: what is called deflate has a header of zlib, or none. */
export function createInflater(coding: Exclude<Coding, ''>, first: Buffer): Transform {
  if (coding === 'gzip') return createGunzip()
  if (coding === 'br') return createBrotliDecompress()
  const hasHeader = ((first[0] ?? 0) & 0x0f) === 8
  return hasHeader ? createInflate() : createInflateRaw()
}

/**
 * Bodies that are inflated from brotli at the same time: each may hold 16 MiB of what was before (RFC 7932, section 9.1), where the
 * others hold 32 KiB. One beyond passes as it is.
 */
const BROTLI_AT_ONCE_MAX = 32
let brotliAtOnce = 0

/** Takes a place for a body of a coding; false where there is none. */
export function acquireInflater(coding: Coding): boolean {
  if (coding !== 'br') return true
  if (brotliAtOnce >= BROTLI_AT_ONCE_MAX) return false
  brotliAtOnce += 1
  return true
}

/** Gives back a place that was taken. */
export function releaseInflater(coding: Coding): void {
  if (coding === 'br') brotliAtOnce -= 1
}

/** What a compressed body may come to, times its own size, once it is more than `FREE_BYTES`: text comes to a few dozen times. */
const RATIO_MAX = 200
const FREE_BYTES = 1024 * 1024

/** Whether so much of a body is more than text comes to. */
export const isBomb = (compressedBytes: number, bytes: number): boolean =>
  bytes > FREE_BYTES && bytes > compressedBytes * RATIO_MAX
