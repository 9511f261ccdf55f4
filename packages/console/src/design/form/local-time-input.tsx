import { TextInput, type TextInputProps } from '@mantine/core'

/** A year of more digits, which browsers take, is no time to the API: the field would count as empty. */
export const LOCAL_TIME_MAX = '9999-12-31T23:59'

/** A date and a time of day, as `fromLocalInput` reads them. */
export function LocalTimeInput(props: Omit<TextInputProps, 'type' | 'max'>) {
  return <TextInput type="datetime-local" max={LOCAL_TIME_MAX} {...props} />
}
