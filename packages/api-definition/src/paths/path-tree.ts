/**
 * Finds the operations of a path: a tree of segments, in which what is written out comes before what is a parameter, as OpenAPI has it.
 * A node is at one depth, so that a path visits each at most once. A slash at the end of a path says nothing.
 */
import type { TableOperation } from '../table.ts'
import { type PathSegment, parseSegment, valuesIn } from './template-segment.ts'

/** An operation, with the names of the parameters in its path. */
export interface ListedOperation {
  readonly operation: TableOperation
  readonly names: readonly string[]
}

/** The operations of a path by method, with the values of the parameters in it. */
export interface FoundPath {
  readonly operations: ReadonlyMap<string, ListedOperation>
  readonly values: readonly string[]
}

interface TemplateChild {
  readonly segment: PathSegment
  readonly node: Node
}

interface Node {
  readonly literals: Map<string, Node>
  readonly templates: Map<string, TemplateChild>
  readonly operations: Map<string, ListedOperation>
}

const emptyNode = (): Node => ({ literals: new Map(), templates: new Map(), operations: new Map() })

/** Names in a template are no part of what it matches. */
const shapeOf = ({ texts }: PathSegment): string => texts.join('\0')

export class PathTree {
  readonly #root = emptyNode()

  constructor(operations: readonly TableOperation[]) {
    for (const operation of operations) for (const path of operation.paths) this.#insert(path, operation)
  }

  #insert(path: string, operation: TableOperation): void {
    let node = this.#root
    const names: string[] = []
    for (const text of segmentsOf(path)) {
      const segment = parseSegment(text)
      names.push(...segment.names)
      node = segment.names.length === 0 ? literalOf(node, segment.texts[0] ?? '') : templateOf(node, segment)
    }
    if (!node.operations.has(operation.method)) node.operations.set(operation.method, { operation, names })
  }

  /**
   * What a path is the path of: that of `method` where several templates match, or else the first. `spend` is told of each node.
   */
  find(path: string, method: string, spend: (steps: number) => void): FoundPath | undefined {
    const segments = segmentsOf(path)
    let other: FoundPath | undefined
    const visit = (node: Node, depth: number, values: readonly string[]): FoundPath | undefined => {
      spend(1)
      const segment = segments[depth]
      if (segment === undefined) {
        if (node.operations.size === 0) return undefined
        const found = { operations: node.operations, values }
        other ??= found
        return node.operations.has(method) ? found : undefined
      }
      const literal = node.literals.get(segment)
      const ofLiteral = literal && visit(literal, depth + 1, values)
      if (ofLiteral) return ofLiteral
      for (const child of node.templates.values()) {
        const own = valuesIn(child.segment, segment)
        const found = own && visit(child.node, depth + 1, [...values, ...own])
        if (found) return found
      }
      return undefined
    }
    return visit(this.#root, 0, []) ?? other
  }
}

const literalOf = (node: Node, text: string): Node => {
  const child = node.literals.get(text) ?? emptyNode()
  node.literals.set(text, child)
  return child
}

const templateOf = (node: Node, segment: PathSegment): Node => {
  const shape = shapeOf(segment)
  const child = node.templates.get(shape) ?? { segment, node: emptyNode() }
  node.templates.set(shape, child)
  return child.node
}

/** Without the empty one at the end. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1)
  if (segments.at(-1) === '') segments.pop()
  return segments
}
