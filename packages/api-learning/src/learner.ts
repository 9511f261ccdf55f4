/**
 * Learns operations from observations: first from the controls, then from everything else. The tree that it holds is bounded
 * whatever comes: where it grows too large, words that fewest researchers asked for become values of their place.
 */

import type { LearnedOperation } from './learned/operation.ts'
import { readOperations } from './learned/read-tree.ts'
import type { Observation } from './observation.ts'
import { segmentsOf, typeInShape } from './requests/shape.ts'
import { Controls } from './tree/controls.ts'
import { generalize } from './tree/generalize.ts'
import { countNodes, PathNode, supportOf } from './tree/path-node.ts'
import { Support } from './tree/support.ts'

export interface LearnerOptions {
  /** How many researchers have to stand behind what is learned. */
  readonly researchersMin?: number
  /** Nodes of the tree of paths. */
  readonly nodesMax?: number
}

export const RESEARCHERS_MIN = 3
const NODES_MAX = 40_000

export class Learner {
  readonly #controls = new Controls()
  readonly #root = new PathNode()
  readonly #researchersMin: number
  readonly #nodesMax: number
  #nodes = 1

  constructor({ researchersMin = RESEARCHERS_MIN, nodesMax = NODES_MAX }: LearnerOptions = {}) {
    this.#researchersMin = researchersMin
    this.#nodesMax = nodesMax
  }

  /** Adds a control. All of them come before anything else. */
  addControl(observation: Observation): void {
    this.#controls.add(observation)
  }

  /**
   * Adds an observation that is no control. Answers that nonsense gets as well are left out. What is known of a request beside its
   * answer comes after the answers: it says something of operations only.
   */
  add(observation: Observation): void {
    const { place, method } = observation
    if (place === 'answer' ? this.#controls.explains(observation) : place === 'control') return
    const node = this.#nodeOf(observation)
    if (place !== 'answer' && !node?.operations.has(method)) return
    node?.operation(method).add(observation)
    if (this.#nodes > this.#nodesMax) this.#shrink()
  }

  /** The operations. The learner is used up by this. */
  finish(): LearnedOperation[] {
    generalize(this.#root, this.#researchersMin)
    return readOperations(this.#root, this.#researchersMin)
  }

  /** The node of a shape, which only an answer makes. */
  #nodeOf({ shape, researchers, place, name }: Observation): PathNode | undefined {
    const isServed = place === 'answer' && Number(name) < 400
    const support = new Support()
    if (isServed) for (const [id, count] of Object.entries(researchers)) support.add(id, count)
    let node = this.#root
    for (const segment of segmentsOf(shape)) {
      const type = typeInShape(segment)
      if (type && (node.value || place === 'answer')) {
        if (!node.value) this.#nodes++
        node = node.valueOf(type, support)
        continue
      }
      // A word that was folded is a value by now.
      let next = node.words.get(segment)
      if (!next && place !== 'answer') next = node.value
      if (!next) {
        if (place !== 'answer') return undefined
        next = new PathNode()
        node.words.set(segment, next)
        this.#nodes++
      }
      node = next
    }
    return node
  }

  /** Folds rare words into values until half of the room is free, those of the fewest researchers first. */
  #shrink(): void {
    const widest = (node: PathNode): number =>
      Math.max(node.words.size, ...[...node.children()].map((child) => widest(child)))
    for (
      let width = widest(this.#root);
      width > 0 && this.#nodes > this.#nodesMax / 2;
      width = Math.floor(width / 2)
    ) {
      foldBeyond(this.#root, width)
      this.#nodes = countNodes(this.#root)
    }
  }
}

/** Folds words of nodes that have more than `width` of them. */
function foldBeyond(node: PathNode, width: number): void {
  if (node.words.size > width) {
    const ordered = [...node.words]
      .map(([word, child]) => ({ word, support: supportOf(child) }))
      .sort(
        (left, right) =>
          left.support.researchers - right.support.researchers ||
          left.support.balancedRequests - right.support.balancedRequests,
      )
    node.fold(ordered.slice(0, node.words.size - width).map(({ word }) => word))
  }
  for (const child of node.children()) foldBeyond(child, width)
}
