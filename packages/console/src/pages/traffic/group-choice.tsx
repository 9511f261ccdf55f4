import { FACETS } from '@sallyport/contract'
import { Choice } from '../../design/form/fields.tsx'
import { FIELD_WORDS } from '../../parts/traffic/field-words.ts'
import { isFacet, type SearchProps } from '../../parts/traffic/search.ts'
import { texts } from './texts.ts'

const CHOICES = [
  { value: '', label: texts.noGrouping },
  ...FACETS.map((field) => ({ value: field, label: texts.by(FIELD_WORDS[field].toLowerCase()) })),
]

/** Shows the requests one by one, or counts them by the values of a field. */
export const GroupChoice = ({ search, onChange }: SearchProps) => (
  <Choice<string>
    size="xs"
    aria-label={texts.groupTheRequests}
    choices={CHOICES}
    value={search.group ?? ''}
    onChange={(group) => onChange({ group: isFacet(group) ? group : undefined, request: undefined })}
  />
)
