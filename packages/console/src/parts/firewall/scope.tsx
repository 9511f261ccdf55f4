/** What every exclusion and override has: what it is limited to, a note and an end. A field of the scope that is left out covers every value. */

import type { FirewallExclusion } from '@sallyport/contract'
import { TextField } from '../../design/form/fields.tsx'
import { InstantField } from '../../design/form/time-field.tsx'
import { texts } from './texts.ts'

export type RuleScope = Partial<Pick<FirewallExclusion, 'rule' | 'pathPrefix' | 'part' | 'parameter'>>
export type ScopeField = keyof RuleScope

/** `any` says what a field covers that is left out. */
export const SCOPE: Readonly<Record<ScopeField, { readonly label: string; readonly any: string }>> = {
  rule: { label: texts.rule, any: texts.everyRule },
  pathPrefix: { label: texts.path, any: 'everywhere' },
  part: { label: texts.part, any: 'any' },
  parameter: { label: texts.parameter, any: 'any' },
}

const PART_INPUT = {
  label: texts.partOfTheRequest,
  description: texts.partOfTheRequestHint,
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
        {...(field === 'part' ? PART_INPUT : { label, description: texts.empty(any) })}
        value={props.value[field] ?? ''}
        onText={(text) => props.onChange({ ...props.value, [field]: text })}
      />
    )
  })
}

/** The fields that are not empty. */
export const filledScope = (scope: RuleScope): RuleScope =>
  Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== ''))

/** As the API has them: `expires` is left out where there is no end. */
export interface NoteAndEnd {
  readonly note: string
  readonly expires?: string
}
export const NO_NOTE: NoteAndEnd = { note: '' }

/** Why an exclusion or an override is there, and until when. */
export function NoteAndEndInputs(props: {
  readonly value: NoteAndEnd
  readonly onChange: (value: NoteAndEnd) => void
}) {
  const { value, onChange } = props
  const { note, expires } = value
  return (
    <>
      <TextField label={texts.note} value={note} onText={(text) => onChange({ ...value, note: text })} />
      <InstantField
        label={texts.until}
        value={expires}
        onInstant={(end) => onChange({ note, ...(end && { expires: end }) })}
      />
    </>
  )
}
