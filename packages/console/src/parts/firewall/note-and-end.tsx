import { InstantField, TextField } from '../../design/form/fields.tsx'

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
      <TextField label="Note" value={note} onText={(text) => onChange({ ...value, note: text })} />
      <InstantField
        label="Until"
        value={expires}
        onInstant={(end) => onChange({ note, ...(end && { expires: end }) })}
      />
    </>
  )
}
