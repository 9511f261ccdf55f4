/**
 * Which template a recorded route belongs to. A recorded route is a path whose typed segments are replaced (`/orders/{id}`); such a
 * segment, and any other, may be a parameter of a template, but a literal segment of a template is met by itself only and goes first.
 *
 * The templates are a tree of segments, so that a route costs as many steps as it has segments, and at worst one for each template.
 */

interface Node {
  readonly literals: Map<string, Node>
  /** Segments with a parameter beside literal text, as the pieces between parameters. */
  readonly mixed: Map<string, { readonly pieces: readonly string[]; readonly node: Node }>
  parameter: Node | undefined
  template: string | undefined
}

const emptyNode = (): Node => ({
  literals: new Map(),
  mixed: new Map(),
  parameter: undefined,
  template: undefined,
})

/** Templates that differ only in the names of their parameters are one: the first of them. */
export function matchTemplates(templates: Iterable<string>): (route: string) => string | undefined {
  const root = emptyNode()
  for (const template of templates) {
    let node = root
    for (const segment of template.split('/')) node = childOf(node, segment)
    node.template ??= template
  }
  return (route) => find(root, route.split('/'), 0)
}

const PARAMETER = /\{[^{}]*\}/

function childOf(node: Node, segment: string): Node {
  const pieces = segment.split(new RegExp(PARAMETER, 'g'))
  if (pieces.length === 1) return getOrAdd(node.literals, segment, emptyNode)
  if (pieces.every((piece) => piece === '')) {
    node.parameter ??= emptyNode()
    return node.parameter
  }
  return getOrAdd(node.mixed, pieces.join('{}'), () => ({ pieces, node: emptyNode() })).node
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Every node is reached on one way only, so none is visited twice. */
function find(node: Node, segments: readonly string[], index: number): string | undefined {
  const segment = segments[index]
  if (segment === undefined) return node.template
  const literal = node.literals.get(segment)
  const found = literal && find(literal, segments, index + 1)
  if (found !== undefined) return found
  for (const { pieces, node: next } of node.mixed.values()) {
    const mixed = isMadeOf(segment, pieces) ? find(next, segments, index + 1) : undefined
    if (mixed !== undefined) return mixed
  }
  return node.parameter && segment !== '' ? find(node.parameter, segments, index + 1) : undefined
}

/** Whether a segment has the pieces in order, the first at its start and the last at its end, with something in between. */
function isMadeOf(segment: string, pieces: readonly string[]): boolean {
  const last = pieces.at(-1) ?? ''
  if (!segment.startsWith(pieces[0] ?? '') || !segment.endsWith(last)) return false
  let at = (pieces[0] ?? '').length
  for (const piece of pieces.slice(1, -1)) {
    const next = segment.indexOf(piece, at + 1)
    if (next === -1) return false
    at = next + piece.length
  }
  return at < segment.length - last.length
}
