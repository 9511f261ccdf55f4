import { LOCAL_TIME_MAX } from '../time/local-time.ts'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** A date and a time of day, as `fromLocalInput` reads them. */
export function LocalTimeInput(props: Omit<TextFieldProps, 'type' | 'max'>) {
  return <TextField type="datetime-local" max={LOCAL_TIME_MAX} {...props} />
}
