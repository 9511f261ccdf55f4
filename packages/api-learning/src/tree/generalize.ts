/**
 * Tells the names of an API from the values in its paths. A word that several researchers asked for is a name; words of which each
 * was asked for by one or two, by several researchers together, are values of one parameter. A name that stands beside a
 * parameter, such as `/users/me` beside `/users/{id}`, is kept where it behaves unlike the values: it has other operations, fewer of
 * them than as many requests of a value would have met, or more requests than a value has.
 *
 * Nothing here can be moved by one researcher alone, however many requests they send.
 */
import { isNameWithEnding, looksMade } from '../requests/segments.ts'
import type { OperationEvidence } from './evidence.ts'
import { countNodes, type PathNode, supportOf } from './path-node.ts'
import { Support } from './support.ts'

/** Words beside each other that only few asked for are values if there are so many, not counting the busiest researcher's. */
const VALUES_MIN = 4
/** What part of a word's requests may be of operations that values do not have. */
const STRANGE_MAX = 0.3
/** What part of the operations that were to be expected a value meets. */
const MET_MIN = 0.6
/** How unlikely it is for a value to meet so few operations. */
const UNLIKELY = 0.01
/** A word with so many times the requests of all values together is a name; one that looks made needs more. */
const NAME_REQUESTS = 0.6
const MADE_NAME_REQUESTS = 3

/** Operations of values that a word is compared with: those with the most requests. */
const OPERATIONS_MAX = 256
/** Nodes that may be gone through again after words were folded into them; beyond it they stay as they are. */
const AGAIN_MAX = 500_000

/** How much more work there may be. */
interface Work {
  nodesLeft: number
}

/** Folds values together, from this node down. `researchersMin` is how many have to agree. */
export function generalize(
  node: PathNode,
  researchersMin: number,
  work: Work = { nodesLeft: AGAIN_MAX },
): void {
  foldRareWords(node, researchersMin)
  const { value } = node
  if (value) {
    generalize(value, researchersMin, work)
    if (supportOf(value).researchers >= researchersMin) {
      const operations = busiest(operationsIn(value, researchersMin))
      const values = [...node.words].filter(
        ([word, child]) => word !== '' && isValue(word, child, value, operations),
      )
      if (values.length > 0) {
        node.fold(values.map(([word]) => word))
        work.nodesLeft -= countNodes(value)
        if (work.nodesLeft > 0) generalize(value, researchersMin, work)
      }
    }
  }
  for (const child of node.words.values()) generalize(child, researchersMin, work)
}

function busiest(operations: readonly OperationEvidence[]): readonly OperationEvidence[] {
  if (operations.length <= OPERATIONS_MAX) return operations
  return operations
    .map((evidence) => ({ evidence, requests: evidence.support.balancedRequests }))
    .sort((left, right) => right.requests - left.requests)
    .slice(0, OPERATIONS_MAX)
    .map(({ evidence }) => evidence)
}

function foldRareWords(node: PathNode, researchersMin: number): void {
  const rare: string[] = []
  const pool = new Support()
  for (const [word, child] of node.words) {
    const support = supportOf(child)
    if (word === '' || support.researchers >= researchersMin || support.researchers === 0) continue
    rare.push(word)
    // Each word counts once, by whom it was asked for.
    for (const id of support.ids) pool.add(id, 1)
  }
  const isKnownValue = node.value !== undefined && supportOf(node.value).researchers >= researchersMin
  const areValues =
    pool.researchers >= researchersMin && pool.balancedRequests >= VALUES_MIN && rare.length > VALUES_MIN
  node.fold(isKnownValue || areValues ? rare : rare.filter(isNameWithEnding))
}

/** Whether a word that several asked for is one of the values beside it. */
function isValue(
  word: string,
  child: PathNode,
  value: PathNode,
  operations: readonly OperationEvidence[],
): boolean {
  const met = new Set<OperationEvidence>()
  const requests = compare(child, value, met)
  const all = requests.known + requests.strange
  if (all === 0) return true
  if (requests.strange > STRANGE_MAX * all) return false
  const weights = operations.map((evidence) => evidence.support.balancedRequests)
  const sum = weights.reduce((total, weight) => total + weight, 0)
  if (sum === 0) return false
  const expected = weights.reduce((total, weight) => total + 1 - (1 - weight / sum) ** all, 0)
  const metWeight = operations.reduce(
    (total, evidence, index) => total + (met.has(evidence) ? (weights[index] ?? 0) : 0),
    0,
  )
  if (met.size < MET_MIN * expected && (metWeight / sum) ** all < UNLIKELY) return false
  return all <= metWeight * (looksMade(word) ? MADE_NAME_REQUESTS : NAME_REQUESTS)
}

/** The operations at a node and below it that are more than one researcher's. */
function operationsIn(node: PathNode, researchersMin: number): OperationEvidence[] {
  const found: OperationEvidence[] = []
  const visit = (visited: PathNode): void => {
    for (const evidence of visited.operations.values())
      if (evidence.support.researchers >= researchersMin) found.push(evidence)
    for (const child of visited.children()) visit(child)
  }
  visit(node)
  return found
}

/** Goes through a word's operations beside those of the values, and counts its requests. Notes the values' operations that it met. */
function compare(
  node: PathNode,
  beside: PathNode | undefined,
  met: Set<OperationEvidence>,
): { known: number; strange: number } {
  let known = 0
  let strange = 0
  for (const [method, { support }] of node.operations) {
    const same = beside?.operations.get(method)
    if (same) {
      met.add(same)
      known += support.balancedRequests
    } else strange += support.balancedRequests
  }
  const deeper = (child: PathNode, besideChild: PathNode | undefined): void => {
    const below = compare(child, besideChild, met)
    known += below.known
    strange += below.strange
  }
  for (const [word, child] of node.words) deeper(child, beside?.words.get(word) ?? beside?.value)
  if (node.value) deeper(node.value, beside?.value)
  return { known, strange }
}
