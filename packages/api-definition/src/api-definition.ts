/** A compiled API definition, and how requests are judged by it: their heads first, then their bodies. */
import { PathTree } from './paths/path-tree.ts'
import { judgeBody, type SentBody } from './request/judge-body.ts'
import { judgeParameters, judgePathValues } from './request/judge-parameters.ts'
import { RequestJudging, TableFacts } from './request/request-judging.ts'
import { SentParameters } from './request/sent-parameters.ts'
import type { Violation } from './request/violation.ts'
import { NotJudgedError } from './schema/judge-value.ts'
import { Patterns } from './schema/patterns.ts'
import type { DefinitionTable, TableOperation } from './table.ts'

/** The head of a request, with every way in which its origin may read it. */
export interface JudgedHead {
  /** Its own first; then those that it may be taken for. */
  readonly methods: readonly string[]
  /** The path as most origins read it. */
  readonly path: string
  /** Every path that an origin may take it for; null where these are more than are worked out. */
  readonly readings: readonly string[] | null
  /** Whether no two origins take different values out of the path: those of `path` count alone then. */
  readonly isPlain?: boolean
  /** Without the question mark. */
  readonly query: string
  /** Name, value, name, value …, as received. */
  readonly rawHeaders: readonly string[]
}

export interface JudgeOptions {
  /** Whether a parameter of the query that is not declared is a violation. */
  readonly judgesUndeclared: boolean
}

/** What is known of a request so far. */
export interface Judgement {
  readonly violations: readonly Violation[]
  readonly isUnchecked: boolean
  /** Whether its operation says something of a body; false where the operation is not listed. */
  readonly wantsBody: boolean
  /** Judges the body. Called once at most; what is found is added. */
  judgeBody(body: SentBody): void
}

/** Nodes of the tree that the readings of one request may visit. */
const VISITS_MAX = 50_000

export class ApiDefinition {
  readonly #tree: PathTree
  readonly #facts: TableFacts
  readonly #patterns = new Patterns()

  constructor(table: DefinitionTable) {
    this.#tree = new PathTree(table.operations)
    this.#facts = new TableFacts(table)
  }

  judge(head: JudgedHead, { judgesUndeclared }: JudgeOptions): Judgement {
    const judging = new RequestJudging(this.#facts, this.#patterns, judgesUndeclared)
    const listed = this.#findListed(head, judging)
    for (const [operation, [values = NO_VALUES, ...others]] of listed ?? []) {
      judgeParameters(judging, operation, new SentParameters(values, head.query, head.rawHeaders))
      if (!head.isPlain) for (const other of others) judgePathValues(judging, operation, other)
    }
    const operations = [...(listed?.keys() ?? [])]
    return {
      violations: judging.violations,
      get isUnchecked() {
        return judging.isUnchecked
      },
      wantsBody: operations.length > 0,
      judgeBody(body) {
        for (const operation of operations) judgeBody(judging, operation.body, body)
      },
    }
  }

  /**
   * The operations that the request may be taken for, that of its own path first, each with the values in every path that is read as
   * its own. Undefined where some reading is not listed, which is said then; and empty of what asks for no operation.
   */
  #findListed(
    { methods, path, readings }: JudgedHead,
    judging: RequestJudging,
  ): ReadonlyMap<TableOperation, readonly PathValues[]> | undefined {
    const found = new Map<TableOperation, PathValues[]>()
    if (readings === null) return this.#unread(judging, path)
    // A header may name one method a thousand times.
    const asked = new Map(methods.map((sent) => [sent.toUpperCase(), sent]))
    let visits = VISITS_MAX
    const spend = (steps: number): void => {
      visits -= steps
      if (visits < 0) throw new NotJudgedError('too many ways')
    }
    try {
      for (const reading of new Set([path, ...readings]))
        for (const [method, sent] of asked) {
          const at = this.#tree.find(reading, method, spend)
          if (!at) return this.#unlisted(judging, 'path', path, reading)
          const listed = at.operations.get(method) ?? at.operations.get(method === 'HEAD' ? 'GET' : '')
          // Asks what may be asked, and browsers ask it of themselves.
          if (!listed && method === 'OPTIONS') continue
          if (!listed) return this.#unlisted(judging, 'method', sent, reading === path ? sent : reading)
          const values = valuesByName(listed.names, at.values)
          const known = found.get(listed.operation)
          if (known) known.push(values)
          else found.set(listed.operation, [values])
        }
    } catch (error) {
      if (!(error instanceof NotJudgedError)) throw error
      return this.#unread(judging, path)
    }
    return found
  }

  /** What is read in too many ways could be anything. */
  #unread(judging: RequestJudging, path: string): undefined {
    judging.add('unlisted_operation', 'path', '', path, 'can be read in more ways than are worked out')
    return undefined
  }

  #unlisted(judging: RequestJudging, part: 'path' | 'method', sent: string, reading: string): undefined {
    const message = part === 'path' ? 'is not listed' : 'is not listed for this path'
    const how = reading === sent || part === 'method' ? '' : ', as one that some origins take it for'
    judging.add('unlisted_operation', part, '', sent, message + how)
    return undefined
  }
}

/** By the names of the parameters. */
type PathValues = ReadonlyMap<string, string>
const NO_VALUES: PathValues = new Map()

const valuesByName = (names: readonly string[], values: readonly string[]): PathValues =>
  new Map(names.map((name, index) => [name, values[index] ?? '']))
