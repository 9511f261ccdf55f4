/** The parameters of a request, each kind read when an operation first asks for it. */
import { cookiePairs, foldedName, formPairs, type SentPair } from './pairs.ts'

/** Pairs of a query or of cookies, by their names as origins that fold them have them, up to a bracket. */
export class SentPairs {
  readonly all: readonly SentPair[]
  readonly #byName = new Map<string, SentPair[]>()

  constructor(all: readonly SentPair[]) {
    this.all = all
    for (const pair of all) {
      const base = baseOf(pair.name)
      const known = this.#byName.get(base)
      if (known) known.push(pair)
      else this.#byName.set(base, [pair])
    }
  }

  /** Those whose names may be meant for a parameter's. */
  near(name: string): readonly SentPair[] {
    return this.#byName.get(baseOf(name)) ?? NONE
  }
}
const NONE: readonly SentPair[] = []

function baseOf(name: string): string {
  const folded = foldedName(name)
  const bracket = folded.indexOf('[', 1)
  return bracket === -1 ? folded : folded.slice(0, bracket)
}

export class SentParameters {
  readonly path: ReadonlyMap<string, string>
  readonly #query: string
  readonly #rawHeaders: readonly string[]
  #pairs: SentPairs | undefined
  #headers: ReadonlyMap<string, string> | undefined
  #cookies: SentPairs | undefined

  /** @param rawHeaders name, value, name, value …, as received */
  constructor(path: ReadonlyMap<string, string>, query: string, rawHeaders: readonly string[]) {
    this.path = path
    this.#query = query
    this.#rawHeaders = rawHeaders
  }

  get query(): SentPairs {
    this.#pairs ??= new SentPairs(formPairs(this.#query))
    return this.#pairs
  }

  /** By lower-case name; values of one name are joined, as HTTP has it (RFC 9110, 5.3). */
  get headers(): ReadonlyMap<string, string> {
    this.#headers ??= headersOf(this.#rawHeaders)
    return this.#headers
  }

  get cookies(): SentPairs {
    this.#cookies ??= new SentPairs(cookiePairs([this.headers.get('cookie') ?? '']))
    return this.#cookies
  }
}

function headersOf(rawHeaders: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const value = rawHeaders[index + 1] ?? ''
    const before = headers.get(name)
    const separator = name === 'cookie' ? '; ' : ', '
    headers.set(name, before === undefined ? value : before + separator + value)
  }
  return headers
}
