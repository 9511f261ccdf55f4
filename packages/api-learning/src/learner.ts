/**
 * Learns operations from observations: first from the controls, then from everything else. The tree that it holds is bounded
 * whatever comes: where it grows too large, words that fewest researchers asked for become values of their place.
 */

import type { LearnedOperation } from './learned/operation.ts'
import { readKnownOperations, readOperations } from './learned/read-tree.ts'
import type { Observation } from './observation.ts'
import { segmentsOf, typeInShape } from './requests/shape.ts'
import { Controls } from './tree/controls.ts'
import { generalize } from './tree/generalize.ts'
import { type KnownRoutes, KnownTemplate } from './tree/known-operations.ts'
import { PathNode } from './tree/path-node.ts'
import { shrink } from './tree/shrink.ts'
import { Support } from './tree/support.ts'

export interface LearnerOptions {
  /** How many researchers have to stand behind what is learned. */
  readonly researchersMin?: number
  /** Nodes of the tree of paths. */
  readonly nodesMax?: number
  /** What is known of the API already. Nothing is known unless it is given. */
  readonly known?: KnownRoutes
}

export const RESEARCHERS_MIN = 3
const NODES_MAX = 40_000
/** What part of the tree one researcher may fill with what fewer than enough agree on. */
const SHARE_OF_ONE = 1 / 8
/** Once the tree was shrunk so often, nothing makes places of its own any more: the work is bounded, too. */
const SHRINKS_MAX = 10

export class Learner {
  readonly #controls = new Controls()
  readonly #root = new PathNode()
  readonly #researchersMin: number
  readonly #nodesMax: number
  readonly #known: KnownRoutes | undefined
  readonly #knownTemplates = new Map<string, KnownTemplate>()
  #nodes = 1
  #shrunk = 0
  /** Nodes by who made them, where fewer than enough agreed. */
  readonly #madeBy = new Map<string, number>()

  constructor(options: LearnerOptions = {}) {
    const { researchersMin = RESEARCHERS_MIN, nodesMax = NODES_MAX, known } = options
    this.#researchersMin = researchersMin
    this.#nodesMax = nodesMax
    this.#known = known
  }

  /** Adds a control. All of them come before anything else. */
  addControl(observation: Observation): void {
    this.#controls.add(observation)
  }

  /**
   * Adds an observation that is no control. Answers that nonsense gets as well are left out. What is known of a request beside its
   * answer comes after the answers: it says something of operations only. An operation that is known is counted whatever it answers.
   */
  add(observation: Observation): void {
    const { place, method, shape } = observation
    const template = this.#known?.templateOf(shape)
    if (template !== undefined && this.#known?.has(method, template)) {
      this.#knownTemplate(template).add(observation)
      return
    }
    if (place === 'answer' ? this.#controls.explains(observation) : place === 'control') return
    if (template !== undefined) {
      this.#knownTemplate(template).add(observation)
      return
    }
    const node = this.#nodeOf(observation)
    if (place !== 'answer' && !node?.operations.has(method)) return
    node?.operation(method).add(observation)
    if (this.#nodes <= this.#nodesMax) return
    this.#nodes = shrink(this.#root, this.#nodesMax / 2, this.#researchersMin)
    this.#shrunk++
  }

  /** The operations, those with known templates first. The learner is used up by this. */
  finish(): LearnedOperation[] {
    generalize(this.#root, this.#researchersMin)
    return [
      ...readKnownOperations(this.#knownTemplates, this.#known, this.#researchersMin),
      ...readOperations(this.#root, this.#researchersMin),
    ]
  }

  #knownTemplate(template: string): KnownTemplate {
    const known = this.#knownTemplates.get(template) ?? new KnownTemplate(template)
    this.#knownTemplates.set(template, known)
    return known
  }

  /** The node of a shape, which only an answer makes. */
  #nodeOf({ shape, researchers, place, name }: Observation): PathNode | undefined {
    const isServed = place === 'answer' && Number(name) < 400
    const support = new Support()
    const isOpen = place === 'answer' && this.#shrunk < SHRINKS_MAX && this.#hasRoom(researchers)
    const before = this.#nodes
    if (isServed) for (const [id, count] of Object.entries(researchers)) support.add(id, count)
    let node = this.#root
    for (const segment of segmentsOf(shape)) {
      const type = typeInShape(segment)
      if (type && (node.value || isOpen)) {
        if (!node.value) this.#nodes++
        node = node.valueOf(type, support)
        continue
      }
      let next = node.words.get(segment)
      // A word that was folded is a value by now. Where none was, nothing was answered to this one but what nonsense gets, and what else is known
      // of its requests says nothing of the values.
      if (!next && !isOpen && (place === 'answer' || node.hasFolded)) next = node.value
      if (!next) {
        if (!isOpen) return undefined
        next = new PathNode()
        node.words.set(segment, next)
        this.#nodes++
      }
      node = next
    }
    if (this.#nodes > before) this.#charge(researchers, this.#nodes - before)
    return node
  }

  /** Whether enough researchers agree, or one of them has not used up the share of one. */
  #hasRoom(researchers: Observation['researchers']): boolean {
    const ids = Object.keys(researchers)
    const share = this.#nodesMax * SHARE_OF_ONE
    return ids.length >= this.#researchersMin || ids.some((id) => (this.#madeBy.get(id) ?? 0) < share)
  }

  #charge(researchers: Observation['researchers'], nodes: number): void {
    const ids = Object.keys(researchers)
    if (ids.length >= this.#researchersMin) return
    for (const id of ids) this.#madeBy.set(id, (this.#madeBy.get(id) ?? 0) + nodes)
  }
}
