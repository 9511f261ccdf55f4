/** Objects reached by several researchers. Whether the second was meant to, only the organization knows. */

import type { Output } from '../../../api/api.tsx'
import { type CoverageScope, useCoverageCrossings } from '../../../api/queries/coverage-queries.ts'
import { useResearcherNames } from '../../../api/queries/researcher-queries.ts'
import { EmptyState } from '../../../design/feedback/states.tsx'
import { isolated } from '../../../design/isolated.ts'
import { Panel } from '../../../design/page/panel.tsx'
import { Tag } from '../../../design/table/status.tsx'
import { type Column, QueryTable } from '../../../design/table/table.tsx'
import { wholeNumber } from '../../../language/number.ts'
import { texts } from './texts.ts'

type Crossed = Output<'sitesGetCoverageCrossings'>['operations'][number]

export function CrossingsPanel({
  siteId,
  scope,
}: {
  readonly siteId: string
  readonly scope: CoverageScope
}) {
  const nameOf = useResearcherNames()
  const crossings = useCoverageCrossings(siteId, scope)
  const pairs = crossings.data?.pairs.slice(0, 5) ?? []
  const words = pairs.map(
    ({ hackers, objects }) =>
      `${hackers.map((id) => isolated(nameOf(id))).join(' and ')}: ${wholeNumber(objects)}`,
  )
  return (
    <Panel
      title={texts.objectsReachedBySeveralResearchers}
      description={words.length > 0 ? words.join(' · ') : texts.objectsReachedBySeveralHint}
      flush
      busy={crossings.isPlaceholderData}
    >
      <QueryTable
        query={crossings}
        label={texts.objectsByOperation}
        columns={columnsOf(nameOf)}
        rows={crossings.data?.operations ?? []}
        rowKey={({ method, template }) => `${method} ${template}`}
        empty={<EmptyState icon="researchers" title={texts.noneInThisWindow} />}
      />
    </Panel>
  )
}

const SAMPLES_SHOWN = 3

const columnsOf = (nameOf: (id: string) => string): readonly Column<Crossed>[] => [
  {
    head: texts.operation,
    cell: ({ method, template }) => (
      <>
        <Tag>{method}</Tag> <code>{isolated(template)}</code>
      </>
    ),
  },
  { head: texts.objects, align: 'end', cell: ({ objects }) => wholeNumber(objects) },
  {
    head: texts.reachedByMost,
    cell: ({ samples }) => (
      <>
        {samples.slice(0, SAMPLES_SHOWN).map(({ path, hackers }) => (
          <div key={path}>
            <code>{isolated(path)}</code>{' '}
            <span className="soft">{hackers.map((id) => isolated(nameOf(id))).join(', ')}</span>
          </div>
        ))}
      </>
    ),
  },
]
