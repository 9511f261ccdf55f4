import { NativeSelect } from '@mantine/core'

/** Chooses one of a few values. */
export function Choice<Value extends string>(props: {
  readonly label: string
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value
  readonly disabled?: boolean
  readonly onChange: (value: Value) => void
}) {
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
