/**
 * Lines of the config feed as they are written to gateways: plain, or packed as members of gzip. Each form is made when the first gateway
 * needs it, and is the same memory for all that are sent the lines.
 *
 * How long something is compressed tells what repeats in it. Keys are therefore never compressed: a name that somebody chose could
 * stand beside them, and who sees how many bytes pass would learn whether it is like a key.
 */
import { packedMembers, storedMembers } from '@sallyport/toolbox'

/** Less than this is not worth the time. */
const PACKED_FROM_BYTES = 4 * 1024

/** Whole lines, and whether a key stands in them. */
export interface FeedText {
  readonly text: string
  readonly isSecret: boolean
}

export class FeedLines {
  readonly plain: Buffer
  readonly #parts: readonly (readonly [bytes: Buffer, isSecret: boolean])[]
  #packed: Promise<Buffer> | undefined

  constructor(...texts: readonly FeedText[]) {
    const parts = texts
      .filter(({ text }) => text !== '')
      .map(({ text, isSecret }) => [Buffer.from(text), isSecret] as const)
    const [first] = parts
    this.plain = first && parts.length === 1 ? first[0] : Buffer.concat(parts.map(([bytes]) => bytes))
    this.#parts = parts
  }

  /** Resolves with the same as members of gzip. */
  packed(): Promise<Buffer> {
    this.#packed ??= pack(this.#parts)
    return this.#packed
  }
}

/** What is stored is joined as far as it stands together, so that a small change is one member. */
async function pack(parts: readonly (readonly [bytes: Buffer, isSecret: boolean])[]): Promise<Buffer> {
  const members: Buffer[] = []
  let stored: Buffer[] = []
  const store = (): void => {
    members.push(storedMembers(Buffer.concat(stored)))
    stored = []
  }
  for (const [bytes, isSecret] of parts) {
    if (isSecret || bytes.length < PACKED_FROM_BYTES) {
      stored.push(bytes)
      continue
    }
    store()
    members.push(await packedMembers(bytes))
  }
  store()
  return Buffer.concat(members)
}
