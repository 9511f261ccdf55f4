import { LocalTimeInput } from '../../design/form/local-time-input.tsx'
import { TextField } from '../../design/form/text-field.tsx'

export interface NoteAndEnd {
  readonly note: string
  /** As `LocalTimeInput` has it; empty for no end. */
  readonly until: string
}

/** Why an exclusion or an override is there, and until when. */
export function NoteAndEndInputs(props: {
  readonly value: NoteAndEnd
  readonly onChange: (value: NoteAndEnd) => void
}) {
  const { value, onChange } = props
  return (
    <>
      <TextField label="Note" value={value.note} onText={(text) => onChange({ ...value, note: text })} />
      <LocalTimeInput
        label="Until"
        value={value.until}
        onText={(text) => onChange({ ...value, until: text })}
      />
    </>
  )
}
