/** The operations that a map has, each once, and which of them a recorded route is one of. */
import { compileRoutes, templateShape } from '@sallyport/policy'
import type { DefinedOperation } from './defined-operation.ts'

export interface KnownTemplates {
  readonly operations: readonly DefinedOperation[]
  /** The template of a recorded route; undefined where it is of none. */
  readonly templateOf: (route: string) => string | undefined
}

export const operationKey = (method: string, template: string): string => `${method} ${template}`

/**
 * The routes of the given document win: what was learned is an operation of its own only where no given template covers it, and
 * under the given template where that lists other methods.
 */
export function knownTemplates(all: readonly DefinedOperation[]): KnownTemplates {
  const ofDocument = matchTemplates(all.filter(({ source }) => source !== 'learned'))
  const operations = new Map<string, DefinedOperation>()
  for (const operation of all) {
    const template = ofDocument(operation.template) ?? operation.template
    const key = operationKey(operation.method, templateShape(template))
    if (!operations.has(key)) operations.set(key, { ...operation, template })
  }
  const distinct = [...operations.values()]
  return { operations: distinct, templateOf: remembered(matchTemplates(distinct)) }
}

/** What a gateway recorded as a template is that one, as it is written: escapes in words are undone only in paths. */
function matchTemplates(operations: readonly DefinedOperation[]): (route: string) => string | undefined {
  const templates = operations.map(({ template }) => template)
  const written = new Set(templates)
  const routes = compileRoutes(templates)
  const firstAlike = new Map<string, string>()
  for (const template of templates) {
    const shape = templateShape(template)
    if (!firstAlike.has(shape)) firstAlike.set(shape, template)
  }
  return (route) => (written.has(route) ? firstAlike.get(templateShape(route)) : routes.matchRecorded(route))
}

/** A route is in many rows. */
function remembered(match: (route: string) => string | undefined): (route: string) => string | undefined {
  const known = new Map<string, string | undefined>()
  return (route) => {
    if (!known.has(route)) known.set(route, match(route))
    return known.get(route)
  }
}
