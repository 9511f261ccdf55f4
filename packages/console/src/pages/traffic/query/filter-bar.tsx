/**
 * One line in which filters are typed: `researcher:Scripts path:/files status:5xx`. Names and values are completed by arrow keys
 * with Enter or Tab; Enter applies the line. What cannot be read is said with its token, which is then selected.
 */
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { Form } from '../../../design/form/form.tsx'
import { Icon } from '../../../design/icon.tsx'
import { isolated } from '../../../design/isolated.ts'
import { shortNumber } from '../../../language/number.ts'
import { filtersOf, type SearchProps } from '../../../parts/traffic/search.ts'
import { NO_FILTERS } from '../filters.ts'
import classes from './filter-bar.module.css'
import { FILTER_BAR_ID } from './filter-bar-id.ts'
import { type ParsedQuery, parseQuery, printQuery, type QueryProblem } from './filter-query.ts'
import { complete, completionAt } from './query-completion.ts'
import { texts } from './texts.ts'
import { type Suggestion, useSuggestions } from './use-suggestions.ts'
import { useVocabulary } from './use-vocabulary.ts'

export function FilterBar({ search, onChange }: SearchProps) {
  const listId = useId()
  const input = useRef<HTMLInputElement>(null)
  const caret = useRef<number | null>(null)
  const [isUsed, setUsed] = useState(false)
  const { vocabulary, lookUp } = useVocabulary(isUsed, search.hacker)
  const printed = printQuery(search, vocabulary)
  const [draft, setDraft] = useState<{ readonly of: string; readonly text: string } | null>(null)
  const [cursor, setCursor] = useState<number | null>(null)
  const [active, setActive] = useState(-1)
  const [problems, setProblems] = useState<readonly QueryProblem[]>([])
  // What is typed is dropped where the filters changed otherwise: a chip was removed, or one went back.
  const text = draft?.of === printed ? draft.text : printed
  const place = cursor === null ? null : completionAt(text, cursor)
  const suggestions = useSuggestions(place, filtersOf(search), vocabulary)
  const isOpen = cursor !== null && suggestions.length > 0

  // Once the field has the completed text, and before the next key.
  useLayoutEffect(() => {
    if (caret.current !== null) input.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  })

  const edit = (next: string, at: number | null) => {
    setDraft({ of: printed, text: next })
    setCursor(at)
    setActive(-1)
    setProblems([])
  }
  const choose = (suggestion: Suggestion) => {
    if (!place) return
    const next = complete(text, place, suggestion.text)
    edit(next.text, next.cursor)
    caret.current = next.cursor
  }
  const apply = async () => {
    const parsed = await readWithNames(text, parseQuery(text, vocabulary), lookUp)
    setProblems(parsed.problems)
    setCursor(null)
    const [first] = parsed.problems
    if (first) input.current?.setSelectionRange(first.from, first.to)
    else onChange({ ...NO_FILTERS, ...parsed.filters })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      // The first press closes the list, the second gives back what is in force.
      if (isOpen) setCursor(null)
      else setDraft(null)
      setProblems([])
      event.preventDefault()
      event.stopPropagation()
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      if (!isOpen) setCursor(input.current?.selectionStart ?? text.length)
      else setActive(nextActive(active, step, suggestions.length))
    }
    const chosen = suggestions[active]
    if (isOpen && chosen && (event.key === 'Enter' || event.key === 'Tab')) {
      event.preventDefault()
      choose(chosen)
    }
  }
  return (
    <Form className={classes.bar} onSubmit={() => void apply()}>
      <Icon name="filter" size={14} />
      <input
        ref={input}
        id={FILTER_BAR_ID}
        type="search"
        className={classes.input}
        role="combobox"
        aria-label={texts.filterRequests}
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-activedescendant={isOpen && active >= 0 ? `${listId}-${active}` : undefined}
        aria-invalid={problems.length > 0}
        aria-describedby={problems.length > 0 ? `${listId}-problems` : undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder={texts.filterRequestsPlaceholder}
        value={text}
        onChange={(event) => edit(event.currentTarget.value, event.currentTarget.selectionStart)}
        onClick={(event) => setCursor(event.currentTarget.selectionStart)}
        onFocus={() => setUsed(true)}
        onBlur={() => setCursor(null)}
        onKeyDown={onKeyDown}
      />
      <kbd>f</kbd>
      <div
        role="listbox"
        id={listId}
        aria-label={texts.completions}
        className={classes.list}
        hidden={!isOpen}
      >
        {isOpen
          ? suggestions.map((one, index) => (
              <div
                key={one.text}
                id={`${listId}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === active}
                className={classes.option}
                // The field keeps the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(one)}
                onKeyDown={onKeyDown}
              >
                <span className="mono clip">{one.text}</span>
                <span className={`${classes.hint} clip`}>
                  {one.label === one.text ? '' : isolated(one.label)}
                </span>
                {one.count === undefined ? null : (
                  <span className="tabular soft">{shortNumber(one.count)}</span>
                )}
              </div>
            ))
          : null}
      </div>
      <div id={`${listId}-problems`} role="alert" className={classes.problems}>
        {problems.map((problem) => (
          <div key={problem.from}>
            <code>{isolated(text.slice(problem.from, problem.to))}</code> {problem.words}
          </div>
        ))}
      </div>
    </Form>
  )
}

/** From none to the first or the last, and around. */
const nextActive = (active: number, step: number, count: number): number =>
  active < 0 ? (step > 0 ? 0 : count - 1) : (active + step + count) % count

/** Reads a text again once the researchers are loaded whose names it did not know. */
async function readWithNames(
  text: string,
  parsed: ParsedQuery,
  lookUp: ReturnType<typeof useVocabulary>['lookUp'],
): Promise<ParsedQuery> {
  let read = parsed
  for (const { unknown } of parsed.problems)
    if (unknown?.field === 'hacker') read = parseQuery(text, await lookUp(unknown.words))
  return read
}
