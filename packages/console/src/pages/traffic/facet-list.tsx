/** Counted values of each field, to include or exclude. */
import { ActionIcon, Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { FACETS, type Facet } from '@sallyport/contract'
import type { ReactNode } from 'react'
import { facetValues, useFacets } from '../../api/traffic/analytics-queries.ts'
import type { RequestFilters } from '../../api/traffic/request-filters.ts'
import { LoadingState, QueryFailure } from '../../design/feedback/states.tsx'
import { Icon } from '../../design/icon.tsx'
import { shortNumber } from '../../language/number.ts'
import { AttackSquare } from '../../parts/attack/attack-name.tsx'
import { FIELD_WORDS, useValueWords } from '../../parts/traffic/field-words.ts'
import type { SearchProps } from '../../parts/traffic/search.ts'
import { withValue } from './filters.ts'
import { texts } from './texts.ts'
import classes from './traffic.module.css'

const VALUES_SHOWN = 7
/** What is pressed is at least so wide and high. */
const TARGET_PIXELS = 24
const ORDER: readonly Facet[] = [
  'outcome',
  'site',
  'hacker',
  'status',
  'method',
  'tool',
  'scannerReason',
  'firewallClass',
  'firewallRule',
  'reason',
  'rule',
  'leadsTo',
  'route',
  'address',
]

/** Of what is long, and seldom chosen from. */
const CLOSED: ReadonlySet<Facet> = new Set(['route', 'address', 'scannerReason'])

export function FacetList(
  props: Pick<SearchProps, 'onChange'> & {
    readonly filters: RequestFilters
    /** False while the chart of these filters is loading, which comes first. */
    readonly ready: boolean
  },
) {
  // One more than is shown says whether there are others.
  const facets = useFacets(props.filters, FACETS, VALUES_SHOWN + 1, props.ready)
  const wordsOf = useValueWords()
  const isNarrow = useMediaQuery('(max-width: 62em)', undefined, { getInitialValueInEffect: false })
  if (facets.error)
    return (
      <section className={classes.facets} aria-label={texts.filterByValue}>
        <QueryFailure error={facets.error} onRetry={() => void facets.refetch()} />
      </section>
    )
  return (
    <section className={classes.facets} aria-label={texts.filterByValue} aria-busy={facets.isPlaceholderData}>
      {facets.isPending ? <LoadingState /> : null}
      {facets.data?.total === 0 ? <p className={classes.noFacets}>{texts.noValuesToFilter}</p> : null}
      {ORDER.map((field) => {
        const counted = facetValues(facets.data, field)
        const values = counted.filter((one) => one.value !== '' || field === 'hacker').slice(0, VALUES_SHOWN)
        if (values.length === 0) return null
        return (
          <details key={field} open={!isNarrow && !CLOSED.has(field)}>
            <summary>{FIELD_WORDS[field]}</summary>
            <ul>
              {values.map((one) => (
                <FacetItem
                  key={one.value}
                  label={FIELD_WORDS[field]}
                  words={wordsOf(field, one.value)}
                  count={one.count}
                  mark={field === 'firewallClass' ? <AttackSquare attackClass={one.value} /> : null}
                  onChoose={(excludes) => props.onChange((now) => withValue(now, field, one.value, excludes))}
                />
              ))}
            </ul>
            {counted.length > VALUES_SHOWN ? (
              <Button
                variant="subtle"
                size="compact-xs"
                className={classes.facetMore ?? ''}
                onClick={() => props.onChange({ group: field, live: undefined, request: undefined })}
              >
                {texts.viewAll(<span className="visually-hidden">{texts.valuesOf(FIELD_WORDS[field])}</span>)}
              </Button>
            ) : null}
          </details>
        )
      })}
    </section>
  )
}

function FacetItem(props: {
  readonly label: string
  readonly words: string
  readonly count: number
  readonly mark: ReactNode
  readonly onChoose: (excludes: boolean) => void
}) {
  const { words } = props
  return (
    <li className={classes.facet}>
      <button
        type="button"
        className={classes.facetName}
        title={texts.filterBy(words)}
        onClick={() => props.onChoose(false)}
      >
        {props.mark} {words}
      </button>
      <span className="tabular soft">{shortNumber(props.count)}</span>
      <ActionIcon
        size={TARGET_PIXELS}
        aria-label={texts.excludeLabelWords(props.label, words)}
        title={texts.excludeWords(words)}
        onClick={() => props.onChoose(true)}
      >
        <Icon name="minus" size={12} />
      </ActionIcon>
    </li>
  )
}
