/** One request as it is judged: what was found of it, and what its judging may still cost. */
import { type Breach, NotJudgedError, ValueJudging } from '../schema/judge-value.ts'
import type { Patterns } from '../schema/patterns.ts'
import type {
  DefinitionTable,
  ParameterPlace,
  TableOperation,
  TableParameter,
  TableSchema,
} from '../table.ts'
import { type DeclaredMembers, isNarrow, membersOf, type Shape, shapesOf } from './parameter-shapes.ts'
import { VIOLATIONS_MAX, type Violation, type ViolationName, type ViolationPart } from './violation.ts'

/** What is worked out of a table once. */
export class TableFacts {
  readonly table: DefinitionTable
  readonly #shapes = new WeakMap<TableParameter, readonly Shape[]>()
  readonly #members = new WeakMap<TableParameter, DeclaredMembers>()
  readonly #narrow = new WeakMap<TableParameter, boolean>()
  readonly #names = new WeakMap<TableOperation, ReadonlySet<string>>()
  readonly credentials: ReadonlySet<string>

  constructor(table: DefinitionTable) {
    this.table = table
    this.credentials = new Set(table.credentials)
  }

  shapes(parameter: TableParameter): readonly Shape[] {
    const known = this.#shapes.get(parameter) ?? shapesOf(this.table, parameter.schema)
    this.#shapes.set(parameter, known)
    return known
  }

  isNarrow(parameter: TableParameter): boolean {
    const known = this.#narrow.get(parameter) ?? isNarrow(this.table, parameter.schema)
    this.#narrow.set(parameter, known)
    return known
  }

  members(parameter: TableParameter): DeclaredMembers {
    const known = this.#members.get(parameter) ?? membersOf(this.table, parameter.schema)
    this.#members.set(parameter, known)
    return known
  }

  declares(operation: TableOperation, place: ParameterPlace, name: string): boolean {
    const known =
      this.#names.get(operation) ?? new Set(operation.parameters.map((one) => `${one.in} ${one.name}`))
    this.#names.set(operation, known)
    return known.has(`${place} ${name}`)
  }
}

/** Steps that the judging of one request may take: some 5 ms. */
export const STEPS_MAX = 50_000
const SENT_CHARS_MAX = 1_024

export class RequestJudging {
  readonly #facts: TableFacts
  readonly #patterns: Patterns
  readonly judgesUndeclared: boolean
  #steps = STEPS_MAX
  readonly violations: Violation[] = []
  /** True where something was not judged: it would have cost too much, or cannot be read. */
  isUnchecked = false

  constructor(facts: TableFacts, patterns: Patterns, judgesUndeclared: boolean) {
    this.#facts = facts
    this.#patterns = patterns
    this.judgesUndeclared = judgesUndeclared
  }

  readonly shapes = (parameter: TableParameter): readonly Shape[] => this.#facts.shapes(parameter)
  readonly members = (parameter: TableParameter): DeclaredMembers => this.#facts.members(parameter)
  readonly isNarrow = (parameter: TableParameter): boolean => this.#facts.isNarrow(parameter)
  readonly fieldsOf = (schema: TableSchema): DeclaredMembers => membersOf(this.#facts.table, schema)
  readonly declares = (operation: TableOperation, place: ParameterPlace, name: string): boolean =>
    this.#facts.declares(operation, place, name)
  readonly isCredential = (name: string): boolean => this.#facts.credentials.has(name)

  /** Where a value breaks a schema. Throws a `NotJudgedError` where that would cost too much. */
  judgeValue(schema: TableSchema, value: unknown): Breach | undefined {
    const judging = new ValueJudging(this.#facts.table.schemas, this.#patterns, this.#steps)
    try {
      const isValid = judging.judge(schema, value)
      return isValid ? undefined : (judging.breach ?? { at: '', message: 'is not as declared' })
    } finally {
      this.#steps = Math.max(0, judging.steps)
    }
  }

  /** Takes steps of what the judging may cost. Throws a `NotJudgedError` where they are used up. */
  spend(steps: number): void {
    if (steps > this.#steps) throw new NotJudgedError('too much to judge')
    this.#steps -= steps
  }

  noteUnchecked(): void {
    this.isUnchecked = true
  }

  add(
    name: ViolationName,
    part: ViolationPart,
    parameter: string,
    sent: string,
    message: string,
    isNarrow = false,
  ): void {
    if (this.violations.length >= VIOLATIONS_MAX) return
    this.violations.push({ name, part, parameter, sent: sent.slice(0, SENT_CHARS_MAX), isNarrow, message })
  }
}
