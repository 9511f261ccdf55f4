/**
 * Makes a tree that grew too large smaller: words become values of their place, those of the fewest researchers first. What several
 * agree on goes only where it alone fills the room, so nobody's flood takes away what others have shown.
 */
import { countNodes, type PathNode } from './path-node.ts'
import { Support } from './support.ts'

/** Each pass leaves so much less of the words beside each other. */
const NARROWER = 4

/** Folds until there are `nodesMax` nodes at most; returns how many there are. Words of `agreedMin` researchers count as agreed. */
export function shrink(root: PathNode, nodesMax: number, agreedMin: number): number {
  let nodes = countNodes(root)
  for (const foldedBelow of [agreedMin, Number.POSITIVE_INFINITY]) {
    for (let width = widest(root); nodes > nodesMax; width = Math.floor(width / NARROWER)) {
      foldBeyond(root, width, foldedBelow)
      nodes = countNodes(root)
      if (width === 0) break
    }
  }
  return nodes
}

/** How many words there are beside each other at most. */
function widest(node: PathNode): number {
  let width = node.words.size
  for (const child of node.children()) width = Math.max(width, widest(child))
  return width
}

/** Folds words beyond `width` that fewer than `foldedBelow` researchers asked for, from the leaves up. Returns who was served here. */
function foldBeyond(node: PathNode, width: number, foldedBelow: number): Support {
  const support = new Support()
  for (const evidence of node.operations.values()) support.merge(evidence.support)
  const words: { readonly word: string; readonly support: Support }[] = []
  for (const [word, child] of node.words) {
    const below = foldBeyond(child, width, foldedBelow)
    support.merge(below)
    if (below.researchers < foldedBelow) words.push({ word, support: below })
  }
  if (node.value) support.merge(foldBeyond(node.value, width, foldedBelow))
  const surplus = node.words.size - width
  if (surplus > 0) {
    words.sort(
      (left, right) =>
        left.support.researchers - right.support.researchers ||
        left.support.balancedRequests - right.support.balancedRequests,
    )
    node.fold(words.slice(0, surplus).map(({ word }) => word))
  }
  return support
}
