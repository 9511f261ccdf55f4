/** What can be made out of bytes that are no request head: for the record, and to be trusted no further than that. */
import { isToken } from '@sallyport/http1'
import { blockOf, type HeaderBlock } from '../headers/header-block.ts'

/** What may have been meant; empty where nothing can be made out. */
export interface GuessedHead {
  readonly method: string
  readonly target: string
  /** `Host`, `Sallyport-Key`, `Cookie` and `User-Agent`, of those there are. */
  readonly headers: HeaderBlock
}

/**
 * Longer methods and targets are no part of a guess. Nor is a header line: where the lines before it were taken for a body, it stands
 * first, and its value may be a secret.
 */
const REQUEST_LINE = /^\s*([!#$%&'*+.^_`|~\w-]{1,32}) +(?!:)([!-\xff]{1,2000})/
/** A head that could be read has fewer; looking at each must not cost more than reading it would have. */
const LINES_MAX = 512
const WANTED = /^(?:cookie|host|sallyport-key|user-agent)$/i
const WANTED_CHARS_MAX = 'sallyport-key'.length

/** Guesses what a head of at most `bytesMax` bytes was meant to say. Lines end at LF, the head at the first that is empty. */
export function guessHead(bytes: Buffer, bytesMax: number): GuessedHead {
  const text = bytes.toString('latin1', 0, bytesMax)
  const [, method = '', target = ''] = REQUEST_LINE.exec(text) ?? []
  const fields: string[] = []
  let from = text.indexOf('\n') + 1
  for (let lines = 0; from > 0 && lines < LINES_MAX; lines += 1) {
    const found = text.indexOf('\n', from)
    const end = found === -1 ? text.length : found
    const isBlank = end === from || (end === from + 1 && text[from] === '\r')
    // An empty line may stand before a request.
    if (isBlank && lines > 0) break
    noteField(fields, text, from, end)
    from = found + 1
  }
  return { method, target, headers: blockOf(fields, text) }
}

function noteField(fields: string[], text: string, from: number, end: number): void {
  const line = text.slice(from, Math.min(end, from + WANTED_CHARS_MAX + 2))
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(0, colon)).trim()
  if (!isToken(name) || !WANTED.test(name)) return
  fields.push(name, text.slice(from + colon + 1, end).trim())
}
