import { TextInput, type TextInputProps } from '@mantine/core'

export type TextFieldProps = Omit<TextInputProps, 'onChange'> & {
  /** Called with the text at every change of it. */
  readonly onText: (text: string) => void
}

export function TextField({ onText, ...input }: TextFieldProps) {
  return <TextInput {...input} onChange={(event) => onText(event.currentTarget.value)} />
}
