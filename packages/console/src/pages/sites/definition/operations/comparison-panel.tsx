/** What is used of an API beside what was given: shadows, orphans, zombies and drift. */
import { type ApiFinding, FINDING_KINDS, type FindingKind, type Site } from '@sallyport/contract'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { useApiQuery } from '../../../../api/api-query.ts'
import { usePermission } from '../../../../api/queries/account-queries.ts'
import { EmptyState } from '../../../../design/feedback/states.tsx'
import { Choice } from '../../../../design/form/fields.tsx'
import { isolated } from '../../../../design/isolated.ts'
import { Panel } from '../../../../design/page/panel.tsx'
import { Status, type Tone } from '../../../../design/table/status.tsx'
import { type Column, QueryTable } from '../../../../design/table/table.tsx'
import classes from '../definition.module.css'
import { ConfirmButton } from './confirm-button.tsx'
import { evidenceColumns, OperationName, operationKey } from './operation-columns.tsx'
import { texts } from './texts.ts'

const KIND_WORDS: Readonly<
  Record<FindingKind, { readonly label: string; readonly tone: Tone; readonly words: string }>
> = {
  shadow: { label: texts.shadow, tone: 'bad', words: texts.usedButNot },
  orphan: { label: texts.orphan, tone: 'off', words: texts.inADocumentBut },
  zombie: { label: texts.zombie, tone: 'warn', words: texts.deprecatedButStillUsed },
  drift: { label: texts.drift, tone: 'warn', words: '' },
}

const RESEARCHERS = ['1', '2', '3', '5', '8'] as const
const REQUESTS = ['1', '10', '100', '1000'] as const
const leastOf = <Value extends string>(values: readonly Value[], label: (least: number) => string) =>
  values.map((value) => ({ value, label: label(Number(value)) }))

export function ComparisonPanel({ site }: { readonly site: Site }) {
  const may = usePermission('sites:write')
  const [kind, setKind] = useState<FindingKind | 'all'>('all')
  const [minResearchers, setResearchers] = useState<(typeof RESEARCHERS)[number]>('3')
  const [minRequests, setRequests] = useState<(typeof REQUESTS)[number]>('1')
  const query = { minResearchers: Number(minResearchers), minRequests: Number(minRequests) }
  const comparison = useApiQuery(
    ['sites', site.id, 'definition', 'comparison', query],
    'sitesCompareDefinition',
    { params: { id: site.id }, query },
    { placeholderData: keepPreviousData },
  )
  const { data } = comparison
  // What is not known yet is not said to be none.
  const withCount = (label: string, counted: readonly FindingKind[]) =>
    data ? `${label} (${counted.reduce((sum, one) => sum + data.counts[one], 0)})` : label
  const kinds = [
    { value: 'all' as const, label: withCount(texts.allFindings, FINDING_KINDS) },
    ...FINDING_KINDS.map((one) => ({ value: one, label: withCount(KIND_WORDS[one].label, [one]) })),
  ]
  const rows = data?.items.filter((item) => kind === 'all' || item.kind === kind) ?? []
  return (
    <Panel
      title={texts.comparedWithTheDefinition}
      description={texts.comparedWithTheDefinitionHint}
      flush
      busy={comparison.isPlaceholderData}
      actions={
        <>
          <Choice
            size="xs"
            aria-label={texts.kindOfFinding}
            choices={kinds}
            value={kind}
            onChange={setKind}
          />
          <Choice
            size="xs"
            aria-label={texts.minimumResearchers}
            choices={leastOf(RESEARCHERS, texts.researchersAtLeast)}
            value={minResearchers}
            onChange={setResearchers}
          />
          <Choice
            size="xs"
            aria-label={texts.minimumRequests}
            choices={leastOf(REQUESTS, texts.requestsAtLeast)}
            value={minRequests}
            onChange={setRequests}
          />
        </>
      }
    >
      <QueryTable
        query={comparison}
        label={texts.findings}
        columns={columnsOf(site.id, may)}
        rows={rows}
        rowKey={(item) => `${item.kind} ${operationKey(item.operation)}`}
        empty={<NoFinding hasDocument={data?.hasDocument === true} />}
      />
    </Panel>
  )
}

const NoFinding = ({ hasDocument }: { readonly hasDocument: boolean }) =>
  hasDocument ? (
    <EmptyState icon="check" title={texts.noDifferences}>
      {texts.noDifferencesBody}
    </EmptyState>
  ) : (
    <EmptyState icon="filter" title={texts.noDocumentToCompare}>
      {texts.noDocumentToCompareBody}
    </EmptyState>
  )

const columnsOf = (siteId: string, may: boolean): readonly Column<ApiFinding>[] => [
  { head: texts.operation, cell: ({ operation }) => <OperationName siteId={siteId} operation={operation} /> },
  {
    head: texts.finding,
    cell: ({ kind }) => <Status tone={KIND_WORDS[kind].tone}>{KIND_WORDS[kind].label}</Status>,
  },
  { head: texts.difference, cell: (item) => <Differences item={item} /> },
  ...evidenceColumns<ApiFinding>(({ operation }) => operation),
  ...(may
    ? [{ head: texts.definition, cell: (item: ApiFinding) => <Act siteId={siteId} item={item} /> }]
    : []),
]

function Differences({ item }: { readonly item: ApiFinding }) {
  if (item.kind !== 'drift') return KIND_WORDS[item.kind].words
  return (
    <ul className={classes.differences}>
      {item.differences.map((difference) => (
        <li key={`${difference.what} ${difference.name}`}>{differenceWords(difference)}</li>
      ))}
    </ul>
  )
}

function differenceWords({ what, name, given, seen }: ApiFinding['differences'][number]): string {
  const shown = isolated(name)
  if (what === 'status') return texts.statusIsNotDocumented(shown)
  if (what === 'mediaType') return texts.responsesAreNotDocumented(shown)
  if (what === 'bodyType') return texts.bodiesAreNotDocumented(shown)
  if (what === 'type') return texts.isDocumentedAsBut(shown, given, seen)
  return seen === '' ? texts.isRequiredButNeverUsed(shown) : texts.parameterIsNotDocumented(shown, seen)
}

const Act = ({ siteId, item }: { readonly siteId: string; readonly item: ApiFinding }) =>
  item.kind === 'shadow' ? <ConfirmButton siteId={siteId} operation={item.operation} act="confirm" /> : null
