/**
 * Finds the template of an API's operations that a path belongs to.
 *
 * Templates are a tree of segments. A path is looked up from its beginning, at each segment first as a word, then as a word with
 * parameters in it, then as a parameter, so what is given more exactly wins. Where a branch leads nowhere the next one is tried; how many
 * places a path may be looked up at in the worst case is known while the tree is made, and a template that would make it more than
 * `PLACES_MAX` is left out. So the time is that of the path's length, whoever chose the path and whoever chose the templates.
 */
import {
  byExactness,
  isPartOf,
  PARAMETER,
  type PartialSegment,
  readTemplate,
  type TemplateSegment,
} from './template.ts'

/** Templates of one site, and their characters altogether. */
export const ROUTES_MAX = 5_000
export const ROUTES_CHARS_MAX = 262_144
/** Places of the tree at which one path may be looked up. */
const PLACES_MAX = 256

export interface Routes {
  /** How many templates there are. */
  readonly size: number
  /** The template of a path, which is decoded and without a query; undefined where none matches. A slash at the end makes no difference unless a template says so. */
  match(path: string): string | undefined
  /** The template of a path in a record, of which whole segments may be types (`/orders/{uuid}`): a type stands for any value. */
  matchRecorded(route: string): string | undefined
}

interface Partial {
  readonly segment: PartialSegment
  readonly node: Node
}

/** Most nodes have none. */
const NO_PARTIALS: readonly Partial[] = []

class Node {
  words: Map<string, Node> | undefined
  partials: readonly Partial[] = NO_PARTIALS
  parameter: Node | undefined
  /** The template that ends here. */
  template: string | undefined
  /** Places below a word, at most, and at this node and below it altogether. */
  wordPlaces = 0
  places = 1
}

/** The templates of a site, added one after the other, so that many of them may be added in small steps. */
export class RouteTree implements Routes {
  readonly #root = new Node()
  #size = 0
  #chars = 0

  get size(): number {
    return this.#size
  }

  /** Adds a template. What is none, or one too many, is left out; of two that are the same but for names the first one counts. */
  add(template: string): void {
    const segments = readTemplate(template)
    if (!segments || this.#size === ROUTES_MAX || this.#chars + template.length > ROUTES_CHARS_MAX) return
    if (placesWith(this.#root, segments, 0) > PLACES_MAX || !insert(this.#root, segments, template)) return
    this.#size++
    this.#chars += template.length
  }

  match(path: string): string | undefined {
    return this.#size === 0 ? undefined : find(this.#root, path, false)
  }

  matchRecorded(route: string): string | undefined {
    return this.#size === 0 ? undefined : find(this.#root, route, true)
  }
}

/** Compiles templates, of which earlier ones count more. */
export function compileRoutes(templates: Iterable<string>): Routes {
  const tree = new RouteTree()
  for (const template of templates) tree.add(template)
  return tree
}

/** How many places there would be at a node with these segments below it. */
function placesWith(node: Node | undefined, segments: readonly TemplateSegment[], at: number): number {
  if (!node) return 1 + segments.length - at
  const segment = segments[at]
  if (segment === undefined) return node.places
  const child = childOf(node, segment)
  const places = placesWith(child, segments, at + 1)
  if (typeof segment === 'string') return node.places + Math.max(0, places - node.wordPlaces)
  return node.places + places - (child?.places ?? 0)
}

function childOf(node: Node, segment: TemplateSegment): Node | undefined {
  if (typeof segment === 'string') return node.words?.get(segment)
  if (segment === PARAMETER) return node.parameter
  return node.partials.find((partial) => partial.segment.key === segment.key)?.node
}

/** False where there is the same template already. */
function insert(root: Node, segments: readonly TemplateSegment[], template: string): boolean {
  const way = [root]
  let node = root
  for (const segment of segments) {
    node = childOf(node, segment) ?? addChild(node, segment)
    way.push(node)
  }
  if (node.template !== undefined) return false
  node.template = template
  for (let index = way.length - 1; index >= 0; index--) {
    const passed = way[index]
    const child = way[index + 1]
    if (!passed) continue
    if (child && typeof segments[index] === 'string')
      passed.wordPlaces = Math.max(passed.wordPlaces, child.places)
    passed.places =
      1 +
      passed.wordPlaces +
      (passed.parameter?.places ?? 0) +
      passed.partials.reduce((sum, partial) => sum + partial.node.places, 0)
  }
  return true
}

function addChild(node: Node, segment: TemplateSegment): Node {
  const child = new Node()
  if (typeof segment === 'string') {
    node.words ??= new Map()
    node.words.set(segment, child)
  } else if (segment === PARAMETER) node.parameter = child
  else
    node.partials = [...node.partials, { segment, node: child }].sort((left, right) =>
      byExactness(left.segment, right.segment),
    )
  return child
}

function find(root: Node, path: string, isRecorded: boolean): string | undefined {
  if (!path.startsWith('/')) return undefined
  const exact = findBelow(root, path, 1, isRecorded)
  if (exact !== undefined || path === '/') return exact
  return path.endsWith('/')
    ? findBelow(root, path.slice(0, -1), 1, isRecorded)
    : findBelow(root, `${path}/`, 1, isRecorded)
}

/** Looks up what of the path begins at `start`, below a node. */
function findBelow(node: Node, path: string, start: number, isRecorded: boolean): string | undefined {
  if (start > path.length) return node.template
  const slash = path.indexOf('/', start)
  const end = slash === -1 ? path.length : slash
  const segment = path.slice(start, end)
  const word = node.words?.get(segment)
  const found = word && findBelow(word, path, end + 1, isRecorded)
  if (found !== undefined) return found
  // A parameter is never empty.
  if (segment === '') return undefined
  const { partials, parameter } = node
  if (partials.length > 0) {
    const isType = isRecorded && !parameter && TYPE.test(segment)
    for (const partial of partials) {
      if (!isType && !isPartOf(segment, partial.segment)) continue
      const below = findBelow(partial.node, path, end + 1, isRecorded)
      if (below !== undefined) return below
    }
  }
  return parameter && findBelow(parameter, path, end + 1, isRecorded)
}

/** How the record writes a segment that it replaced by its type. */
const TYPE = /^\{[a-z-]{1,16}\}$/
