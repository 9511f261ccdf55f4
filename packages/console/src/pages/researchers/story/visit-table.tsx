/** Visits as a table: the same as the lanes, for those who rather read it. */
import { Button } from '@mantine/core'
import type { Visit } from '@sallyport/contract'
import { type Column, Table } from '../../../design/table/table.tsx'
import { type TimeWords, useTime } from '../../../design/time/time.tsx'
import { wholeNumber } from '../../../language/number.ts'
import { AttackList } from '../../../parts/attack/attack-list.tsx'
import { verdictCounts } from '../../../parts/researcher/verdict-counts.ts'
import { texts } from './texts.ts'
import type { VisitChoice } from './visit-lanes.tsx'
import { lengthWords } from './visit-words.ts'

export function VisitTable(props: VisitChoice) {
  const time = useTime()
  return (
    <Table
      label={texts.visits}
      rows={props.visits}
      rowKey={({ start }) => start}
      columns={columnsOf(props, time)}
    />
  )
}

const columnsOf = ({ chosen, onChoose }: VisitChoice, time: TimeWords): readonly Column<Visit>[] => [
  {
    head: texts.began,
    cell: (visit) => (
      <Button
        variant={visit.start === chosen ? 'light' : 'subtle'}
        size="compact-sm"
        aria-pressed={visit.start === chosen}
        onClick={() => onChoose(visit)}
      >
        {time.short(visit.start)}
      </Button>
    ),
  },
  { head: texts.lasted, secondary: true, cell: lengthWords },
  { head: texts.requests, align: 'end', cell: ({ requests }) => wholeNumber(requests) },
  { head: texts.attacks, cell: ({ attacks }) => <AttackList attacks={attacks} /> },
  {
    head: texts.status5xx,
    align: 'end',
    cell: ({ verdicts }) => wholeNumber(verdictCounts(verdicts).serverErrors),
  },
  {
    head: '429',
    align: 'end',
    secondary: true,
    cell: ({ verdicts }) => wholeNumber(verdictCounts(verdicts).throttled),
  },
  {
    head: texts.refused,
    align: 'end',
    secondary: true,
    cell: ({ verdicts }) => wholeNumber(verdictCounts(verdicts).refused),
  },
]
