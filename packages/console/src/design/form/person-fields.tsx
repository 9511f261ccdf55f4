import { TextField } from './text-field.tsx'
export interface Person {
  readonly email: string
  readonly name: string
}

/** The e-mail address and the name of somebody who is invited. */
export function PersonFields(props: { readonly value: Person; readonly onChange: (person: Person) => void }) {
  const { value, onChange } = props
  return (
    <>
      <TextField
        type="email"
        label="E-mail address"
        required
        data-autofocus
        value={value.email}
        onText={(text) => onChange({ ...value, email: text })}
      />
      <TextField label="Name" value={value.name} onText={(text) => onChange({ ...value, name: text })} />
    </>
  )
}
