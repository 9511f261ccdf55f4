/** Fields of forms. Each reports its value, not the event that changed it. */
import {
  NativeSelect,
  type NativeSelectProps,
  SegmentedControl,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { texts } from './texts.ts'

export type TextFieldProps = Omit<TextInputProps, 'onChange'> & {
  /** Called with the text at every change of it. */
  readonly onText: (text: string) => void
}

export function TextField({ onText, ...input }: TextFieldProps) {
  return <TextInput {...input} onChange={(event) => onText(event.currentTarget.value)} />
}

/** A small field that searches while somebody types. */
export const SearchField = (props: TextFieldProps) => (
  <TextField type="search" size="xs" placeholder={texts.search} {...props} />
)

/** Chooses one of a few values, all of which show. */
export function Segments<Value extends string>(props: {
  readonly label: string
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value
  readonly disabled: boolean
  readonly onChange: (value: Value) => void
}) {
  const { label, choices, ...rest } = props
  return <SegmentedControl aria-label={label} size="xs" data={[...choices]} {...rest} />
}

/** Chooses one of a few values. */
export function Choice<Value extends string>(
  props: Omit<NativeSelectProps, 'value' | 'data' | 'onChange'> & {
    readonly choices: readonly { readonly value: Value; readonly label: string }[]
    readonly value: Value
    readonly onChange: (value: Value) => void
  },
) {
  const { choices, onChange, ...rest } = props
  return (
    <NativeSelect
      {...rest}
      onChange={(event) => {
        const chosen = choices.find((one) => one.value === event.currentTarget.value)
        if (chosen) onChange(chosen.value)
      }}
      data={[...choices]}
    />
  )
}

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
        label={texts.emailAddress}
        required
        data-autofocus
        value={value.email}
        onText={(email) => onChange({ ...value, email })}
      />
      <TextField label={texts.name} value={value.name} onText={(name) => onChange({ ...value, name })} />
    </>
  )
}
