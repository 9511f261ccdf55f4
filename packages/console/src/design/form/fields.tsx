/** Fields of forms. Each reports its value, not the event that changed it. */
import {
  NativeSelect,
  type NativeSelectProps,
  SegmentedControl,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { useTimeZone } from '../../session/time-zone.tsx'
import { fromLocalInput, LOCAL_TIME_MAX, toLocalInput } from '../time/local-time.ts'

type TextFieldProps = Omit<TextInputProps, 'onChange'> & {
  /** Called with the text at every change of it. */
  readonly onText: (text: string) => void
}

export function TextField({ onText, ...input }: TextFieldProps) {
  return <TextInput {...input} onChange={(event) => onText(event.currentTarget.value)} />
}

/** A small field that searches while somebody types. */
export const SearchField = (props: TextFieldProps) => (
  <TextField type="search" size="xs" placeholder="Search" {...props} />
)

/** A date and a time of day, as `fromLocalInput` reads them. */
export const LocalTimeField = (props: Omit<TextFieldProps, 'type' | 'max'>) => (
  <TextField type="datetime-local" max={LOCAL_TIME_MAX} {...props} />
)

/** An instant, shown and typed as the viewer's time zone has it; null is none. */
export function InstantField({
  value,
  onInstant,
  ...input
}: Omit<TextFieldProps, 'type' | 'max' | 'value' | 'onText'> & {
  /** ISO 8601. */
  readonly value: string | null | undefined
  readonly onInstant: (instant: string | null) => void
}) {
  const { zone } = useTimeZone()
  return (
    <LocalTimeField
      {...input}
      value={toLocalInput(value, zone)}
      onText={(text) => onInstant(fromLocalInput(text, zone))}
    />
  )
}

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
        label="E-mail address"
        required
        data-autofocus
        value={value.email}
        onText={(email) => onChange({ ...value, email })}
      />
      <TextField label="Name" value={value.name} onText={(name) => onChange({ ...value, name })} />
    </>
  )
}
