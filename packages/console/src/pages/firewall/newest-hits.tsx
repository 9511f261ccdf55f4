import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { LoggedRequest } from '../../api/traffic/request-filters.ts'
import { useNewestMatched } from '../../api/traffic/request-queries.ts'
import { EmptyState, QueryState } from '../../design/feedback/states.tsx'
import { Choice } from '../../design/form/fields.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { type Column, Table } from '../../design/table/table.tsx'
import { RelativeTime } from '../../design/time/time.tsx'
import { AttackName } from '../../parts/attack/attack-name.tsx'
import { scoreWords } from '../../parts/traffic/code-words.ts'
import { filtersOf, type TrafficSearch } from '../../parts/traffic/search.ts'
import { MATCHED } from './rule-series.ts'
import { texts } from './texts.ts'

const LISTED = 8
/** In percent; the levels of evidence that a site chooses from, and what is all but certain. */
const SCORES = ['25', '50', '90', '98'] as const

type Matched = Pick<LoggedRequest, 'id' | 'time' | 'target'> & {
  readonly hit: LoggedRequest['hits'][number]
}

/** The newest requests that a rule matched, each with the hit of the highest score, and what made that. */
export function NewestHits({ search }: { readonly search: TrafficSearch }) {
  const [score, setScore] = useState<'' | (typeof SCORES)[number]>('')
  const filters = { ...search, ...MATCHED, ...(score ? { minScorePercent: [score] } : {}) }
  const newest = useNewestMatched(filtersOf(filters), LISTED)
  const rows = (newest.data ?? []).flatMap(matchedOf)
  const choice = (
    <Choice
      size="xs"
      aria-label={texts.score}
      value={score}
      onChange={setScore}
      choices={[
        { value: '', label: texts.anyScore },
        ...SCORES.map((value) => ({ value, label: texts.scoreOrHigher(scoreWords(Number(value))) })),
      ]}
    />
  )
  return (
    <Panel title={texts.newestHits} description={texts.newestHitsHint} actions={choice} flush>
      <QueryState query={newest} />
      {newest.data && rows.length === 0 ? (
        <EmptyState icon="firewall" title={texts.noDataInThisWindow} />
      ) : null}
      {rows.length > 0 ? (
        <Table label={texts.newestHits} rows={rows} rowKey={(row) => row.id} columns={columnsOf(filters)} />
      ) : null}
    </Panel>
  )
}

function matchedOf({ id, time, target, hits }: LoggedRequest): readonly Matched[] {
  const [hit] = hits
    .filter(({ excluded }) => !excluded)
    .toSorted((one, other) => other.scorePercent - one.scorePercent)
  return hit ? [{ id, time, target, hit }] : []
}

const columnsOf = (filters: TrafficSearch): readonly Column<Matched>[] => [
  {
    head: texts.attack,
    cell: ({ id, hit }) => (
      <Link to="/traffic" search={{ ...filters, request: id }}>
        <AttackName attackClass={hit.class} />
      </Link>
    ),
  },
  {
    head: texts.score,
    align: 'end',
    cell: ({ hit }) => (hit.scorePercent > 0 ? scoreWords(hit.scorePercent) : '–'),
  },
  { head: texts.evidence, cell: ({ hit }) => hit.reason || '–' },
  {
    head: texts.location,
    secondary: true,
    cell: ({ hit }) => [hit.part, hit.parameter].filter((words) => words !== '').join(', '),
  },
  { head: texts.when, align: 'end', cell: ({ time }) => <RelativeTime instant={time} /> },
]
