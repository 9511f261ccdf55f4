/** Reads the operations out of a tree whose values are folded. */
import type { OperationEvidence, TypeSupport } from '../tree/evidence.ts'
import { unitedSupport } from '../tree/evidence.ts'
import type { KnownRoutes, KnownTemplate } from '../tree/known-operations.ts'
import type { PathNode } from '../tree/path-node.ts'
import type { Support } from '../tree/support.ts'
import type { LearnedEvidence, LearnedOperation, LearnedParameter } from './operation.ts'
import { parameterName } from './parameter-name.ts'

/** A parameter of the query needs so many researchers: more than one, so that nobody adds one alone. */
const PARAMETER_RESEARCHERS_MIN = 2
/** A researcher who sent more different names than this to one operation, and twice as many as others, was looking for parameters. */
const NAMES_OF_ONE_MAX = 8
/** What part of the requests has to have a value of one type for the parameter to have that type. */
const TYPE_SHARE_MIN = 0.85

/** A segment of a template: a word, or the types of a parameter. */
type Step = string | TypeSupport

/** All operations in the tree, sorted by template and method. */
export function readOperations(root: PathNode, researchersMin: number): LearnedOperation[] {
  const found: LearnedOperation[] = []
  const visit = (node: PathNode, steps: readonly Step[]): void => {
    for (const [method, evidence] of node.operations)
      if (evidence.support.researchers > 0) found.push(operationOf(method, steps, evidence, researchersMin))
    for (const [word, child] of node.words) visit(child, [...steps, word])
    if (node.value) visit(node.value, [...steps, node.valueTypes])
  }
  visit(root, [])
  return found.sort(byTemplate)
}

/**
 * The operations at known templates, sorted: those that are known with their method if they were asked for at all, others if anybody
 * was served.
 */
export function readKnownOperations(
  templates: ReadonlyMap<string, KnownTemplate>,
  known: KnownRoutes | undefined,
  researchersMin: number,
): LearnedOperation[] {
  const found: LearnedOperation[] = []
  for (const [template, { operations }] of templates)
    for (const [method, { evidence, valueTypes }] of operations) {
      const isKnown = known?.has(method, template) === true
      if (!isKnown && evidence.support.researchers === 0) continue
      const names = Array.from(template.matchAll(/\{([^}]*)\}/g), ([, name = '']) => name)
      // A segment with several parameters says nothing of the type of each.
      const isPlain = names.length === valueTypes.length
      const inPath = names.map((name, index): LearnedParameter => {
        const types = isPlain ? valueTypes[index] : undefined
        return { name, place: 'path', type: types ? typeOf(types, researchersMin) : 'string' }
      })
      found.push(describe(method, template, inPath, evidence, researchersMin, isKnown))
    }
  return found.sort(byTemplate)
}

const byTemplate = (left: LearnedOperation, right: LearnedOperation): number =>
  compare(left.template, right.template) || compare(left.method, right.method)

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

function operationOf(
  method: string,
  steps: readonly Step[],
  evidence: OperationEvidence,
  researchersMin: number,
): LearnedOperation {
  const names = new Set<string>()
  const inPath: LearnedParameter[] = []
  const segments = steps.map((step, index) => {
    if (typeof step === 'string') return step
    const before = steps[index - 1]
    const name = parameterName(typeof before === 'string' ? before : '', names)
    inPath.push({ name, place: 'path', type: typeOf(step, researchersMin) })
    return `{${name}}`
  })
  const template = segments.length === 0 ? '/' : segments.map((segment) => `/${segment}`).join('')
  return describe(method, template, inPath, evidence, researchersMin, false)
}

/** Of what is known refusals count as well: whoever was refused has used it. */
function describe(
  method: string,
  template: string,
  inPath: readonly LearnedParameter[],
  evidence: OperationEvidence,
  researchersMin: number,
  isKnown: boolean,
): LearnedOperation {
  const support = isKnown ? unitedSupport(evidence.statuses) : evidence.support
  return {
    method,
    template,
    state: support.researchers >= researchersMin ? 'learned' : 'candidate',
    parameters: [...inPath, ...queryParameters(evidence)],
    bodyTypes: namesWith(evidence.bodyTypes),
    mediaTypes: namesWith(evidence.mediaTypes),
    statuses: namesWith(evidence.statuses).map(Number),
    evidence: summary(evidence, support, researchersMin),
  }
}

function summary(evidence: OperationEvidence, support: Support, researchersMin: number): LearnedEvidence {
  const { requests, covered, firstSeen, lastSeen } = evidence
  const agreed = Math.min(1, support.researchers / researchersMin)
  return {
    requests,
    covered,
    researchers: support.researchers,
    firstSeen,
    lastSeen,
    confidence: Math.round(100 * agreed * (1 - 1 / (1 + support.balancedRequests))) / 100,
  }
}

/** What more than one researcher saw, or, where nobody agrees, whatever was seen. */
function namesWith(types: TypeSupport): string[] {
  const agreed = [...types].filter(([, { researchers }]) => researchers >= PARAMETER_RESEARCHERS_MIN)
  return (agreed.length > 0 ? agreed : [...types]).map(([name]) => name).sort()
}

function queryParameters(evidence: OperationEvidence): LearnedParameter[] {
  const searchers = searchersIn(evidence)
  const parameters: LearnedParameter[] = []
  for (const [name, types] of evidence.parameters) {
    if (unitedSupport(types).without(searchers).researchers < PARAMETER_RESEARCHERS_MIN) continue
    parameters.push({ name, place: 'query', type: typeOf(withoutUnknown(types), PARAMETER_RESEARCHERS_MIN) })
  }
  return parameters.sort((left, right) => compare(left.name, right.name))
}

/** Researchers who tried names out. */
function searchersIn({ parameters }: OperationEvidence): ReadonlySet<string> {
  const names = new Map<string, number>()
  for (const types of parameters.values())
    for (const id of unitedSupport(types).ids) names.set(id, (names.get(id) ?? 0) + 1)
  const counts = [...names.values()].sort((left, right) => left - right)
  const usual = counts[Math.floor((counts.length - 1) / 2)] ?? 0
  return new Set(
    [...names].filter(([, count]) => count > Math.max(NAMES_OF_ONE_MAX, 2 * usual)).map(([id]) => id),
  )
}

function withoutUnknown(types: TypeSupport): TypeSupport {
  const known: TypeSupport = new Map(types)
  known.delete('unknown')
  return known
}

/** The type that nearly all values have that more than one researcher sent; integers are numbers, too. */
function typeOf(types: TypeSupport, researchersMin: number): string {
  const enough = [...types].filter(([, { researchers }]) => researchers >= Math.min(researchersMin, 2))
  const weighed = (enough.length > 0 ? enough : [...types])
    .map(([type, support]) => ({ type, weight: support.balancedRequests }))
    .sort((left, right) => right.weight - left.weight || compare(left.type, right.type))
  const sum = weighed.reduce((total, { weight }) => total + weight, 0)
  const [first] = weighed
  if (!first) return 'string'
  if (first.weight >= TYPE_SHARE_MIN * sum)
    return first.type === 'word' || first.type === 'text' ? 'string' : first.type
  const isNumeric = weighed.every(({ type }) => type === 'integer' || type === 'number')
  return isNumeric ? 'number' : 'string'
}
