/**
 * The control group: how each directory answers what cannot be a route of the API (hidden files, backups, payloads, broken
 * escapes), of which scanners ask plenty. An answer like these says nothing of an operation: a page for everything, a
 * redirect to a sign-in, an error that comes with 200.
 */
import { type Observation, readAnswerType } from '../observation.ts'
import { Support } from './support.ts'

/** How often something was answered in one directory. */
interface Answered {
  readonly support: Support
  readonly sizes: Map<number, number>
  requests: number
}

const DIRECTORIES_MAX = 2_000
const KINDS_MAX = 32
/** One researcher alone cannot say what is nonsense. */
const RESEARCHERS_MIN = 2
/** Fewer misses say nothing of a directory. */
const MISSES_MIN = 5
/** What part of its misses a directory has to answer alike. */
const SHARE_MIN = 0.3
/** What part of an operation's answers may look like misses. */
const ALIKE_MAX = 0.85
const ROOT = ''

export class Controls {
  /** By directory, then by status and type. */
  readonly #directories = new Map<string, Map<string, Answered>>()
  /** By status and type, over all directories. */
  readonly #kinds = new Map<string, { readonly directories: Set<string>; readonly answered: Answered }>()

  add(observation: Observation): void {
    const directory = this.#directories.get(observation.shape) ?? this.#newDirectory(observation.shape)
    if (!directory) return
    const kind = kindOf(observation)
    const answered = directory.get(kind) ?? emptyAnswered()
    if (directory.size >= KINDS_MAX && !directory.has(kind)) return
    directory.set(kind, answered)
    addAnswers(answered, observation)
    const everywhere = this.#kinds.get(kind) ?? { directories: new Set(), answered: emptyAnswered() }
    this.#kinds.set(kind, everywhere)
    everywhere.directories.add(observation.shape)
    addAnswers(everywhere.answered, observation)
  }

  /** Whether the answers of an observation are those that its directory gives to nonsense. */
  explains(observation: Observation): boolean {
    const kind = kindOf(observation)
    const everywhere = this.#kinds.get(kind)
    if (!everywhere || everywhere.answered.support.researchers < RESEARCHERS_MIN) return false
    const nearest = this.#nearest(observation.shape)
    const answered = nearest?.kinds.get(kind)
    if (!nearest || !answered || answered.requests < SHARE_MIN * nearest.requests) return false
    // A parameter may take anything; a page for everything lies over several directories, or over all.
    if (everywhere.directories.size < 2 && nearest.directory !== ROOT) return false
    // Redirects to one place are alike, whatever they repeat of the request. Where it is not known to where, the size has to tell.
    if (readAnswerType(observation.type).redirect !== '') return true
    const { lowest, highest } = rangeOf(answered.requests < 20 ? everywhere.answered.sizes : answered.sizes)
    return shareWithin(observation.sizes, lowest - 1, highest + 1) >= ALIKE_MAX
  }

  /** The deepest directory above a shape of which enough misses are known. */
  #nearest(shape: string) {
    for (let end = shape.lastIndexOf('/'); end >= 0; end = end === 0 ? -1 : shape.lastIndexOf('/', end - 1)) {
      const directory = shape.slice(0, end)
      const kinds = this.#directories.get(directory)
      if (!kinds) continue
      let requests = 0
      for (const answered of kinds.values()) requests += answered.requests
      if (requests >= MISSES_MIN) return { directory, kinds, requests }
    }
    return undefined
  }

  #newDirectory(directory: string): Map<string, Answered> | undefined {
    if (this.#directories.size >= DIRECTORIES_MAX) return undefined
    const kinds = new Map<string, Answered>()
    this.#directories.set(directory, kinds)
    return kinds
  }
}

/** Status and type of an answer. */
const kindOf = ({ name, type }: Observation): string => `${name} ${type}`

const emptyAnswered = (): Answered => ({ support: new Support(), sizes: new Map(), requests: 0 })

function addAnswers(answered: Answered, { researchers, sizes, requests }: Observation): void {
  answered.requests += requests
  for (const [id, count] of Object.entries(researchers)) answered.support.add(id, count)
  for (const [size, count] of Object.entries(sizes))
    answered.sizes.set(Number(size), (answered.sizes.get(Number(size)) ?? 0) + count)
}

/** Where nineteen twentieths of the sizes lie. */
function rangeOf(sizes: ReadonlyMap<number, number>): { lowest: number; highest: number } {
  const ordered = [...sizes].sort(([left], [right]) => left - right)
  const all = ordered.reduce((sum, [, count]) => sum + count, 0)
  const at = (share: number): number => {
    let sum = 0
    for (const [size, count] of ordered) {
      sum += count
      if (sum >= share * all) return size
    }
    return ordered.at(-1)?.[0] ?? 0
  }
  return { lowest: at(0.025), highest: at(0.975) }
}

function shareWithin(sizes: Observation['sizes'], lowest: number, highest: number): number {
  let all = 0
  let within = 0
  for (const [size, count] of Object.entries(sizes)) {
    all += count
    if (Number(size) >= lowest && Number(size) <= highest) within += count
  }
  return all === 0 ? 0 : within / all
}
