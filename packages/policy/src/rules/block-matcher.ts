/**
 * Judges requests by the block rules of a site. The rules are compiled to a tree of path segments, so that a request
 * costs a few look-ups however many rules there are.
 */
import type { BlockRule, PathConvention } from '@sallyport/contract'
import { changes, fetchedTargets, stepsOf } from '../paths/path-conventions.ts'
import {
  AS_SENT,
  cleanPath,
  INTERPRETATION_CHARS_MAX,
  interpretationsWith,
  interpretedText,
} from '../paths/path-interpretations.ts'
import { reachablePrefixes } from '../paths/prefix-search.ts'
import { PrefixTree } from '../paths/prefix-tree.ts'
import { tooManyToRead } from '../paths/request-targets.ts'
import { eachCleanSegment, eachSegment, prefixSegments } from '../paths/segments.ts'
import type { Transform } from '../paths/transforms.ts'
import { expiryOf } from './expiry.ts'

/** The rule that covers a request, and the interpretation of its target that falls under it. */
export interface BlockMatch {
  readonly rule: BlockRule
  /** For example `as sent`, or `decoded, decoded, dot segments resolved`. */
  readonly reading: string
}

/** The interpretation named where a target has more than are worked out: it counts as falling under every rule. */
export const TOO_MANY_INTERPRETATIONS = 'more readings than are worked out'

/** Characters of all interpretations together, where it is known which rules they may fall under. */
const CHARS_MAX_WHERE_FOUND = 64 * 1024

interface Reachable {
  readonly rules: readonly CompiledRule[]
  readonly charsMax: number
}

interface Node {
  readonly children: Map<string, Node>
  readonly rules: CompiledRule[]
}

interface CompiledRule {
  readonly rule: BlockRule
  readonly order: number
  /** Upper case; empty for all. */
  readonly methods: ReadonlySet<string>
  readonly expiresAt: number
}

export class BlockMatcher {
  readonly #root: Node = { children: new Map(), rules: [] }
  readonly #rules: readonly CompiledRule[]
  readonly #methodsNamed: ReadonlySet<string>
  readonly #conventions: readonly PathConvention[]
  readonly #steps: readonly Transform[]
  /** Made for the first target that is read in more than one way. */
  #tree: PrefixTree | undefined

  /** `conventions` are those that the origin of the site has. */
  constructor(rules: readonly BlockRule[], conventions: readonly PathConvention[] = []) {
    this.#conventions = conventions
    this.#steps = stepsOf(conventions)
    this.#rules = rules.filter((rule) => rule.enabled).map(compileRule)
    this.#methodsNamed = new Set(this.#rules.flatMap((rule) => [...rule.methods]))
    for (const rule of this.#rules) this.#insert(rule)
  }

  /**
   * The first rule, in the order of the list, under which any interpretation of the target falls.
   * `methods` are those that the origin may take the request for: its own, and any that override it.
   */
  match(sentMethods: readonly string[], target: string, now: number): BlockMatch | undefined {
    if (this.#rules.length === 0) return undefined
    return this.#matchAll(this.#judged(sentMethods), target, now)
  }

  /**
   * The same for several targets that the origin may take a request for, and the index of the one that falls under the rule;
   * of more than are judged, the first falls under every rule.
   */
  matchAny(
    sentMethods: readonly string[],
    targets: readonly string[],
    now: number,
  ): { readonly match: BlockMatch; readonly index: number } | undefined {
    if (tooManyToRead(targets, this.#steps)) {
      const match = this.matchUnread(sentMethods, now)
      return match && { match, index: 0 }
    }
    for (const [index, target] of targets.entries()) {
      const match = this.match(sentMethods, target, now)
      if (match) return { match, index }
    }
    return undefined
  }

  #matchAll(methods: readonly string[], target: string, now: number): BlockMatch | undefined {
    const match = this.#matchOne(methods, target, now)
    if (match || this.#conventions.length === 0) return match
    const fetchedPaths = fetchedTargets(this.#conventions, target)
    if (tooManyToRead(fetchedPaths, this.#steps)) return this.matchUnread(methods, now)
    for (const fetched of fetchedPaths) {
      const found = this.#matchOne(methods, fetched, now)
      if (found) return { rule: found.rule, reading: `fetched by Next.js, ${found.reading}` }
    }
    return undefined
  }

  #matchOne(methods: readonly string[], target: string, now: number): BlockMatch | undefined {
    const clean = cleanPath(target)
    if (clean !== undefined && !changes(this.#steps, clean)) {
      const found = this.#findClean(clean, methods, now)
      return found && { rule: found.rule, reading: AS_SENT }
    }
    const { rules, charsMax } = this.#reachable(target, methods, now)
    if (rules.length === 0) return undefined
    const { list, overflowing } = interpretationsWith(target, this.#steps, charsMax)
    let best: CompiledRule | undefined
    let reading = ''
    for (const { text, name } of list) {
      const found = this.#find(text, methods, now)
      if (!found || (best && best.order <= found.order)) continue
      best = found
      reading = name
    }
    if (best) return { rule: best.rule, reading }
    return overflowing && rules[0] ? { rule: rules[0].rule, reading: TOO_MANY_INTERPRETATIONS } : undefined
  }

  /** The rules for these methods that some interpretation of a target may fall under, in their order, and what to spend on it. */
  #reachable(target: string, methods: readonly string[], now: number): Reachable {
    const inForce = this.#rules.filter((rule) => covers(rule, methods, now))
    if (inForce.length === 0) return { rules: inForce, charsMax: 0 }
    this.#tree ??= new PrefixTree(
      this.#rules.map(({ rule }) => prefixSegments(rule.pathPrefix)),
      this.#conventions,
    )
    const found = reachablePrefixes(this.#tree, interpretedText(target))
    if (found === undefined) return { rules: inForce, charsMax: INTERPRETATION_CHARS_MAX }
    return { rules: inForce.filter(({ order }) => found.has(order)), charsMax: CHARS_MAX_WHERE_FOUND }
  }

  /** The first rule for these methods: what a request falls under that has more interpretations than are worked out. */
  matchUnread(methods: readonly string[], now: number): BlockMatch | undefined {
    const judged = this.#judged(methods)
    const any = this.#rules.find((rule) => covers(rule, judged, now))
    return any && { rule: any.rule, reading: TOO_MANY_INTERPRETATIONS }
  }

  /** Of many methods those that a rule names, each once: a request may list thousands. */
  #judged(methods: readonly string[]): readonly string[] {
    if (methods.length === 1) return methods
    const distinct = new Set(methods.map((method) => method.toUpperCase()))
    return [...distinct].filter((method) => this.#methodsNamed.has(method))
  }

  #insert(rule: CompiledRule): void {
    let node = this.#root
    for (const segment of prefixSegments(rule.rule.pathPrefix)) {
      let child = node.children.get(segment)
      if (!child) {
        child = { children: new Map(), rules: [] }
        node.children.set(segment, child)
      }
      node = child
    }
    node.rules.push(rule)
  }

  #findClean(path: string, methods: readonly string[], now: number): CompiledRule | undefined {
    let node: Node | undefined = this.#root
    let best = firstOf(node.rules, undefined, methods, now)
    eachCleanSegment(path, (segment) => {
      node = node?.children.get(segment)
      if (node && node.rules.length > 0) best = firstOf(node.rules, best, methods, now)
      return node !== undefined
    })
    return best
  }

  #find(path: string, methods: readonly string[], now: number): CompiledRule | undefined {
    let best = firstOf(this.#root.rules, undefined, methods, now)
    if (this.#root.children.size === 0) return best
    let node: Node | undefined = this.#root
    eachSegment(path, (segment) => {
      node = node?.children.get(segment)
      if (node) best = firstOf(node.rules, best, methods, now)
      return node !== undefined
    })
    return best
  }
}

const compileRule = (rule: BlockRule, order: number): CompiledRule => ({
  rule,
  order,
  methods: new Set(rule.methods),
  expiresAt: expiryOf(rule),
})

function firstOf(
  rules: readonly CompiledRule[],
  best: CompiledRule | undefined,
  methods: readonly string[],
  now: number,
): CompiledRule | undefined {
  for (const rule of rules) if ((!best || rule.order < best.order) && covers(rule, methods, now)) return rule
  return best
}

const covers = (rule: CompiledRule, methods: readonly string[], now: number): boolean =>
  now < rule.expiresAt &&
  (rule.methods.size === 0 || methods.some((method) => rule.methods.has(method.toUpperCase())))
