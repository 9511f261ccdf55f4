import { TextField } from './text-field.tsx'
/** A small field that searches while somebody types. */
export function SearchField(props: {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  readonly onSearch: (text: string) => void
}) {
  return (
    <TextField
      type="search"
      size="xs"
      aria-label={props.label}
      placeholder={props.placeholder ?? 'Search'}
      value={props.value}
      onText={props.onSearch}
    />
  )
}
