import { Button } from '@mantine/core'
import type { FilterFieldName } from '../../api/traffic/request-filters.ts'
import { Icon } from '../../design/icon.tsx'
import { FIELD_WORDS, useValueWords } from '../../parts/traffic/field-words.ts'
import type { SearchProps } from '../../parts/traffic/search.ts'
import { chipsOf, withoutValue } from './filters.ts'
import { texts } from './texts.ts'
import classes from './traffic.module.css'

/** The filters in force, each with a button that takes it off. */
export function FilterChips({ search, onChange }: SearchProps) {
  const wordsOf = useValueWords()
  const chips = chipsOf(search)
  if (chips.length === 0 && !search.search) return null
  return (
    <ul className={classes.chips} aria-label={texts.filtersInForce}>
      {search.search ? (
        <li>
          <Chip words={texts.words(search.search)} onRemove={() => onChange({ search: undefined })} />
        </li>
      ) : null}
      {chips.map(({ field, value, excludes, written }) => (
        <li key={`${field} ${written}`}>
          <Chip
            words={`${FIELD_WORDS[field]} ${comparison(field, excludes)} ${wordsOf(field, value)}`}
            onRemove={() => onChange((now) => withoutValue(now, field, written))}
          />
        </li>
      ))}
    </ul>
  )
}

function comparison(field: FilterFieldName, excludes: boolean): string {
  if (field === 'minScorePercent' || field === 'minScannerPercent')
    return excludes ? texts.isBelow : texts.isAtLeast
  return excludes ? texts.isNot : texts.is
}

function Chip({ words, onRemove }: { readonly words: string; readonly onRemove: () => void }) {
  return (
    <Button
      variant="default"
      size="compact-sm"
      maw="100%"
      aria-label={texts.removeTheFilter(words)}
      rightSection={<Icon name="close" size={12} />}
      onClick={onRemove}
    >
      <span className="clip">{words}</span>
    </Button>
  )
}
