/** The difference of two OpenAPI documents as who calls the API sees it. */
import { DOCUMENT_CHANGES_MAX, type DocumentChange, type DocumentDifference } from '@sallyport/contract'
import { type SurfaceOperation, type SurfaceParameter, surfaceOf } from './api-surface.ts'

export type DocumentChanges = Pick<DocumentDifference, 'total' | 'breaking' | 'changes'>

type Kind = DocumentChange['kind']

/** What breaks whoever calls as before. An answer that is no success may come and go. */
const BREAKING: ReadonlySet<Kind> = new Set([
  'operation-removed',
  'parameter-removed',
  'parameter-required',
  'parameter-type',
  'request-required',
  'request-type-removed',
  'response-type-removed',
])

/** What has become of `before` in `after`: breaking changes first, each kind by operation. */
export function differenceOf(before: unknown, after: unknown): DocumentChanges {
  const [old, present] = [surfaceOf(before), surfaceOf(after)]
  const changes: DocumentChange[] = []
  for (const [key, { label }] of present) if (!old.has(key)) changes.push(change('operation-added', label))
  for (const [key, { label }] of old) if (!present.has(key)) changes.push(change('operation-removed', label))
  for (const [key, operation] of present) {
    const known = old.get(key)
    if (known) for (const one of changesOf(known, operation)) changes.push(one)
  }
  const breaking = changes.filter(({ isBreaking }) => isBreaking)
  const others = changes.filter(({ isBreaking }) => !isBreaking)
  return {
    total: changes.length,
    breaking: breaking.length,
    changes: [...breaking, ...others].slice(0, DOCUMENT_CHANGES_MAX),
  }
}

function change(
  kind: Kind,
  operation: string,
  subject = '',
  more: Partial<DocumentChange> = {},
): DocumentChange {
  return { kind, operation, subject, before: '', after: '', isBreaking: BREAKING.has(kind), ...more }
}

function changesOf(old: SurfaceOperation, present: SurfaceOperation): DocumentChange[] {
  const of = (kind: Kind, subject = '', more: Partial<DocumentChange> = {}) =>
    change(kind, present.label, subject, more)
  const changes: DocumentChange[] = []
  if (old.isDeprecated !== present.isDeprecated)
    changes.push(of(present.isDeprecated ? 'operation-deprecated' : 'operation-undeprecated'))
  for (const [key, parameter] of present.parameters) {
    const known = old.parameters.get(key)
    if (known) changes.push(...parameterChanges(known, parameter, of))
    else changes.push(of('parameter-added', parameter.label, { isBreaking: parameter.isRequired }))
  }
  for (const [key, { label }] of old.parameters)
    if (!present.parameters.has(key)) changes.push(of('parameter-removed', label))
  if (old.isBodyRequired !== present.isBodyRequired)
    changes.push(of(present.isBodyRequired ? 'request-required' : 'request-optional'))
  for (const type of present.requestTypes)
    if (!old.requestTypes.has(type)) changes.push(of('request-type-added', type))
  for (const type of old.requestTypes)
    if (!present.requestTypes.has(type)) changes.push(of('request-type-removed', type))
  // One document may have more of them than a call takes arguments.
  return changes.concat(responseChanges(old, present, of))
}

type ChangeOf = (kind: Kind, subject: string, more?: Partial<DocumentChange>) => DocumentChange

function parameterChanges(old: SurfaceParameter, present: SurfaceParameter, of: ChangeOf): DocumentChange[] {
  const { label } = present
  return [
    ...(old.isRequired === present.isRequired
      ? []
      : [of(present.isRequired ? 'parameter-required' : 'parameter-optional', label)]),
    ...(old.type === present.type
      ? []
      : [of('parameter-type', label, { before: old.type, after: present.type })]),
  ]
}

function responseChanges(old: SurfaceOperation, present: SurfaceOperation, of: ChangeOf): DocumentChange[] {
  const changes: DocumentChange[] = []
  for (const [status, types] of present.responses) {
    const known = old.responses.get(status)
    if (!known) changes.push(of('status-added', status))
    else {
      for (const type of types)
        if (!known.has(type)) changes.push(of('response-type-added', `${status} ${type}`))
      for (const type of known)
        if (!types.has(type)) changes.push(of('response-type-removed', `${status} ${type}`))
    }
  }
  for (const status of old.responses.keys())
    if (!present.responses.has(status))
      changes.push(of('status-removed', status, { isBreaking: status.startsWith('2') }))
  return changes
}
