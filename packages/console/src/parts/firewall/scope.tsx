/** What an exclusion or an override is limited to. A field that is left out covers every value. */

import type { FirewallExclusion } from '@sallyport/contract'
import { TextField } from '../../design/form/fields.tsx'

export type RuleScope = Partial<Pick<FirewallExclusion, 'rule' | 'pathPrefix' | 'part' | 'parameter'>>
export type ScopeField = keyof RuleScope

/** `any` says what a field covers that is left out. */
export const SCOPE: Readonly<Record<ScopeField, { readonly label: string; readonly any: string }>> = {
  rule: { label: 'Rule', any: 'every rule' },
  pathPrefix: { label: 'Path', any: 'everywhere' },
  part: { label: 'Part', any: 'any' },
  parameter: { label: 'Parameter', any: 'any' },
}

const PART_INPUT = {
  label: 'Part of the request',
  description: 'query, path, body, header, cookie, …; empty: any',
}

export function ScopeInputs(props: {
  readonly fields: readonly ScopeField[]
  readonly value: RuleScope
  readonly onChange: (scope: RuleScope) => void
}) {
  return props.fields.map((field) => {
    const { label, any } = SCOPE[field]
    return (
      <TextField
        key={field}
        {...(field === 'part' ? PART_INPUT : { label, description: `Empty: ${any}` })}
        value={props.value[field] ?? ''}
        onText={(text) => props.onChange({ ...props.value, [field]: text })}
      />
    )
  })
}

/** The fields that are not empty. */
export const filledScope = (scope: RuleScope): RuleScope =>
  Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== ''))
