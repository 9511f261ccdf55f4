/** What was seen of operations whose templates are known already: nothing of them is learned, but each is counted. */
import type { Observation } from '../observation.ts'
import { segmentsOf, typeInShape } from '../requests/shape.ts'
import { mergeTypes, OperationEvidence, type TypeSupport } from './evidence.ts'
import { Support } from './support.ts'

/** What somebody has said already about the API. */
export interface KnownRoutes {
  /** The template that a shape belongs to; undefined where it is to be learned. */
  templateOf(shape: string): string | undefined
  /** Whether the template is known with this method. */
  has(method: string, template: string): boolean
}

/** What was seen of one method at a known template. */
export interface KnownOperation {
  readonly evidence: OperationEvidence
  /** Of each segment that is a parameter or has one in it, in their order. */
  readonly valueTypes: readonly TypeSupport[]
}

/** What was seen at one template. */
export class KnownTemplate {
  readonly operations = new Map<string, KnownOperation>()
  readonly #places: readonly number[]

  constructor(template: string) {
    this.#places = segmentsOf(template).flatMap((segment, index) => (segment.includes('{') ? [index] : []))
  }

  /** What is known beside an answer says something only of an operation that answered. */
  add(observation: Observation): void {
    const { method, place, name, shape, researchers } = observation
    let operation = this.operations.get(method)
    if (!operation) {
      if (place !== 'answer') return
      operation = { evidence: new OperationEvidence(), valueTypes: this.#places.map(() => new Map()) }
      this.operations.set(method, operation)
    }
    operation.evidence.add(observation)
    if (place !== 'answer' || Number(name) >= 400) return
    const segments = segmentsOf(shape)
    const support = new Support()
    for (const [id, count] of Object.entries(researchers)) support.add(id, count)
    for (const [index, types] of operation.valueTypes.entries()) {
      const segment = segments[this.#places[index] ?? 0] ?? ''
      mergeTypes(types, new Map([[typeInShape(segment) ?? 'word', support]]))
    }
  }
}
