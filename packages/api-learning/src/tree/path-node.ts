/** A tree of paths: below each node are words, and at most one value that stands for all identifiers at that place. */
import type { SegmentType } from '../requests/segments.ts'
import { mergeTypes, OperationEvidence, type TypeSupport } from './evidence.ts'
import { Support } from './support.ts'

export class PathNode {
  readonly words = new Map<string, PathNode>()
  /** What stands behind an identifier, whatever its type. */
  value: PathNode | undefined
  readonly valueTypes: TypeSupport = new Map()
  readonly operations = new Map<string, OperationEvidence>()
  /** Whether words have been taken in among the identifiers. */
  hasFolded = false

  operation(method: string): OperationEvidence {
    const known = this.operations.get(method)
    if (known) return known
    const evidence = new OperationEvidence()
    this.operations.set(method, evidence)
    return evidence
  }

  /** The node behind an identifier of this type, which these researchers sent. */
  valueOf(type: SegmentType, support: Support): PathNode {
    mergeTypes(this.valueTypes, new Map([[type, support]]))
    this.value ??= new PathNode()
    return this.value
  }

  /** Takes all of another node in. Its parts become this one's. */
  merge(other: PathNode): void {
    for (const [method, evidence] of other.operations) {
      const known = this.operations.get(method)
      if (known) known.merge(evidence)
      else this.operations.set(method, evidence)
    }
    for (const [word, child] of other.words) {
      const known = this.words.get(word)
      if (known) known.merge(child)
      else this.words.set(word, child)
    }
    mergeTypes(this.valueTypes, other.valueTypes)
    this.hasFolded ||= other.hasFolded
    if (this.value && other.value) this.value.merge(other.value)
    else this.value ??= other.value
  }

  /** Takes the words in among the identifiers. */
  fold(words: Iterable<string>): void {
    for (const word of words) {
      const child = this.words.get(word)
      if (!child) continue
      this.words.delete(word)
      this.hasFolded = true
      this.valueOf('word', supportOf(child)).merge(child)
    }
  }

  *children(): Iterable<PathNode> {
    yield* this.words.values()
    if (this.value) yield this.value
  }
}

/** Who was served anything at a node or below it. */
export function supportOf(node: PathNode): Support {
  const support = new Support()
  addSupport(node, support)
  return support
}

function addSupport(node: PathNode, support: Support): void {
  for (const evidence of node.operations.values()) support.merge(evidence.support)
  for (const child of node.children()) addSupport(child, support)
}

/** How many nodes there are, with this one. */
export function countNodes(node: PathNode): number {
  let count = 1
  for (const child of node.children()) count += countNodes(child)
  return count
}
