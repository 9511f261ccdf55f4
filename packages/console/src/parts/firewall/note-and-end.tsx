import { TextInput } from '@mantine/core'
import { LocalTimeInput } from '../../design/form/local-time-input.tsx'

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
      <TextInput
        label="Note"
        value={value.note}
        onChange={(event) => onChange({ ...value, note: event.currentTarget.value })}
      />
      <LocalTimeInput
        label="Until"
        value={value.until}
        onChange={(event) => onChange({ ...value, until: event.currentTarget.value })}
      />
    </>
  )
}
