/** Requests changed at random places into what no client would send; the same ones on every run. */
import type { TestRequest } from './corpus.ts'

const PIECES = [
  '\0',
  '%',
  '%25',
  '%u0000',
  '&#0;',
  '\\u',
  '\\',
  '"',
  "'",
  '<',
  '>',
  '{',
  '}',
  '[',
  ']',
  '--',
  '\r\n',
  '\ud800',
  '\uffff',
  '=',
  '&',
  ';',
  '/*',
  '*/',
  '${',
  '{{',
  '<![CDATA[',
  '<!DOCTYPE a [',
  'union select',
  '../',
  'AAAA'.repeat(50),
  '%'.repeat(30),
].map((piece) => Buffer.from(piece))

export interface Mutations {
  /** The request with its target, a header or its body changed. */
  mutated(request: TestRequest): TestRequest
  /** A number from 0 to `max`, exclusive. */
  random(max: number): number
}

/** @param seed decides what is changed and how */
export function createMutations(seed: number): Mutations {
  let state = seed
  const random = (max: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % max
  }
  const mutatedBytes = (bytes: Buffer): Buffer => mutate(bytes, random)
  const mutatedText = (text: string): string => mutatedBytes(Buffer.from(text)).toString('latin1')
  return {
    random,
    mutated(request) {
      const { method, target, rawHeaders } = request.head
      const chosen = random(rawHeaders.length)
      return {
        head: {
          method: random(50) === 0 ? mutatedText(method) : method,
          target: random(2) === 0 ? mutatedText(target) : target,
          rawHeaders: rawHeaders.map((text, index) => (index === chosen ? mutatedText(text) : text)),
        },
        body:
          random(4) === 0
            ? request.body
            : mutatedBytes(random(2) === 0 ? mutatedBytes(request.body) : request.body),
      }
    },
  }
}

/** Cuts the bytes off, changes one, repeats a stretch, or puts in a piece that parsers stumble over. */
function mutate(bytes: Buffer, random: (max: number) => number): Buffer {
  const copy = Buffer.from(bytes)
  const at = random(copy.length + 1)
  const kind = random(5)
  if (kind === 0) return copy.subarray(0, at)
  if (kind === 1 && copy.length > 0) {
    copy[Math.min(at, copy.length - 1)] = random(256)
    return copy
  }
  if (kind === 2)
    return Buffer.concat([
      copy.subarray(0, at),
      copy.subarray(Math.max(0, at - random(200))),
      copy.subarray(at),
    ])
  const piece = PIECES[random(PIECES.length)] ?? Buffer.alloc(0)
  return Buffer.concat([copy.subarray(0, at), piece, copy.subarray(at)])
}
