/** The requests of a window counted by the values of one field, each value leading to its requests. */
import { Button } from '@mantine/core'
import type { Facet } from '@sallyport/contract'
import { facetValues, useFacets } from '../../api/traffic/analytics-queries.ts'
import type { RequestFilters } from '../../api/traffic/request-filters.ts'
import { EmptyState } from '../../design/feedback/states.tsx'
import { QueryTable } from '../../design/table/table.tsx'
import { percent, wholeNumber } from '../../language/number.ts'
import { FIELD_WORDS, useValueWords } from '../../parts/traffic/field-words.ts'
import type { SearchProps } from '../../parts/traffic/search.ts'
import { withValue } from './filters.ts'
import { GroupChoice } from './group-choice.tsx'
import { texts } from './texts.ts'
import classes from './traffic.module.css'

/** As many as the API counts. */
const VALUES_MAX = 50

export function GroupTable(props: SearchProps & { readonly field: Facet; readonly filters: RequestFilters }) {
  const { field, search, onChange } = props
  const counts = useFacets(props.filters, [field], VALUES_MAX)
  const wordsOf = useValueWords()
  const values = facetValues(counts.data, field)
  const total = counts.data?.total ?? 0
  const choose = (value: string, excludes: boolean) =>
    onChange((now) => ({
      ...withValue(now, field, value, excludes),
      ...(excludes ? {} : { group: undefined }),
    }))
  return (
    <section className={classes.log} aria-label={texts.groupedRequests} aria-busy={counts.isPlaceholderData}>
      <div className={classes.tableHead}>
        <GroupChoice search={search} onChange={onChange} />
        <span className="soft tabular">
          {counts.data ? texts.totalRequests(total) : ''}
          {values.length === VALUES_MAX ? texts.theMostFrequentValues(VALUES_MAX) : ''}
        </span>
      </div>
      <div className={classes.groups}>
        <QueryTable
          query={counts}
          label={texts.requestsBy(FIELD_WORDS[field])}
          rows={values}
          rowKey={({ value }) => value}
          empty={
            <EmptyState icon="traffic" title={texts.noRequests}>
              {texts.noRequestsBody}
            </EmptyState>
          }
          columns={[
            {
              head: FIELD_WORDS[field],
              cell: ({ value }) => (
                <button type="button" className={classes.groupValue} onClick={() => choose(value, false)}>
                  {wordsOf(field, value)}
                </button>
              ),
            },
            { head: texts.requests, align: 'end', cell: ({ count }) => wholeNumber(count) },
            { head: texts.share, align: 'end', cell: ({ count }) => percent(count, total) },
            {
              head: texts.exclude,
              align: 'end',
              cell: ({ value }) => (
                <Button
                  variant="subtle"
                  size="compact-xs"
                  aria-label={texts.excludeFieldWordsField(FIELD_WORDS[field], wordsOf(field, value))}
                  onClick={() => choose(value, true)}
                >
                  {texts.exclude}
                </Button>
              ),
            },
          ]}
        />
      </div>
    </section>
  )
}
