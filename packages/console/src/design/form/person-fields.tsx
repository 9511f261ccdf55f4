import { TextInput } from '@mantine/core'

export interface Person {
  readonly email: string
  readonly name: string
}

/** The e-mail address and the name of somebody who is invited. */
export function PersonFields(props: { readonly value: Person; readonly onChange: (person: Person) => void }) {
  const { value, onChange } = props
  return (
    <>
      <TextInput
        type="email"
        label="E-mail address"
        required
        data-autofocus
        value={value.email}
        onChange={(event) => onChange({ ...value, email: event.currentTarget.value })}
      />
      <TextInput
        label="Name"
        value={value.name}
        onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
      />
    </>
  )
}
