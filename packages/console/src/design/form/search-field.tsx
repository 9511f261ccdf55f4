import { TextInput } from '@mantine/core'

/** A small field that searches while somebody types. */
export function SearchField(props: {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  readonly onSearch: (text: string) => void
}) {
  return (
    <TextInput
      type="search"
      size="xs"
      aria-label={props.label}
      placeholder={props.placeholder ?? 'Search'}
      value={props.value}
      onChange={(event) => props.onSearch(event.currentTarget.value)}
    />
  )
}
