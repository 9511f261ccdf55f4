/**
 * Hashes by which targets are told apart (FNV-1a, 32 bits, mixed once more because the lowest bits alone are used). Of a long text both
 * ends and the length count, so that the work is bounded. Who makes two targets collide lowers the counts of their own requests alone.
 */
const BASIS = 0x811c9dc5
const PRIME = 0x01000193
const CHARS_MAX = 192
const END_CHARS = 64

/** The hashes of a host with a target, and with its path: the target without its query. */
export function hashTarget(host: string, target: string): { readonly target: number; readonly path: number } {
  const query = target.indexOf('?')
  const pathEnd = query === -1 ? target.length : query
  const path = hashOn(hashOn(BASIS, host, 0, host.length), target, 0, pathEnd)
  return { path: mixed(path), target: mixed(hashOn(path, target, pathEnd, target.length)) }
}

function hashOn(start: number, text: string, from: number, to: number): number {
  if (to - from <= CHARS_MAX) return hashAll(start, text, from, to)
  const begun = hashAll(start ^ (to - from), text, from, from + CHARS_MAX - END_CHARS)
  return hashAll(begun, text, to - END_CHARS, to)
}

function hashAll(start: number, text: string, from: number, to: number): number {
  let hash = start
  for (let index = from; index < to; index++) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME)
  return hash
}

/** The last step of MurmurHash3 (Appleby), by which each bit depends on all. */
function mixed(given: number): number {
  let hash = given ^ (given >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
