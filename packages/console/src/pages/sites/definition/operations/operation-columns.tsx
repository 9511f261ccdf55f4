/** What a table says of an operation of a site's API. Templates are made of what researchers asked for. */
import { type ApiOperation, type ApiOperationState, onlyValue } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { isolated } from '../../../../design/isolated.ts'
import { Status, Tag, type Tone } from '../../../../design/table/status.tsx'
import type { Column } from '../../../../design/table/table.tsx'
import { RelativeTime } from '../../../../design/time/time.tsx'
import { wholeNumber } from '../../../../language/number.ts'
import { texts } from './texts.ts'

export const STATE_WORDS: Readonly<
  Record<ApiOperationState, { readonly label: string; readonly tone: Tone }>
> = {
  given: { label: texts.documented, tone: 'good' },
  confirmed: { label: texts.confirmed, tone: 'good' },
  learned: { label: texts.learned, tone: 'busy' },
  candidate: { label: texts.candidate, tone: 'warn' },
}

export const operationKey = ({ method, template }: ApiOperation): string => `${method} ${template}`

/** Templates of candidates are no routes of the record: their requests are those below what stands before the first parameter. */
const filterOf = ({ state, template }: ApiOperation) =>
  state === 'candidate'
    ? { path: [onlyValue(template.split('{', 1)[0] ?? '/')] }
    : { route: [onlyValue(template)] }

/** The operation, as a link to its requests. */
export function OperationName({
  siteId,
  operation,
}: {
  readonly siteId: string
  readonly operation: ApiOperation
}) {
  const { method, template, deprecated } = operation
  return (
    <>
      <Tag>{method}</Tag>{' '}
      <Link to="/traffic" search={{ site: [siteId], ...filterOf(operation) }} className="mono">
        {isolated(template)}
      </Link>
      {deprecated ? <span className="soft">{texts.deprecated}</span> : null}
    </>
  )
}

export function OperationState({ state }: { readonly state: ApiOperationState }) {
  const { label, tone } = STATE_WORDS[state]
  return <Status tone={tone}>{label}</Status>
}

/** Who asked for it, how often, and when last. */
export function evidenceColumns<Row>(operationOf: (row: Row) => ApiOperation): readonly Column<Row>[] {
  const evidence = (row: Row) => operationOf(row).evidence
  return [
    {
      head: texts.researchers,
      align: 'end',
      cell: (row) =>
        (evidence(row)?.researchers ?? 0) >= 8 ? texts.orMore : (evidence(row)?.researchers ?? 0),
    },
    { head: texts.requests, align: 'end', cell: (row) => wholeNumber(evidence(row)?.requests ?? 0) },
    {
      head: texts.withHits,
      align: 'end',
      secondary: 'least',
      cell: (row) => wholeNumber(evidence(row)?.covered ?? 0),
    },
    {
      head: texts.lastSeen,
      secondary: true,
      cell: (row) => <RelativeTime instant={evidence(row)?.lastSeen ?? null} otherwise={texts.never} />,
    },
  ]
}
