/** The checks of a project as CSV (RFC 4180): a row for each item. Cells that a spreadsheet would take for formulas are escaped. */
import { Readable } from 'node:stream'
import { type ProjectCheck, type ProjectChecks, VERDICT_WORDS } from '@sallyport/contract'
import { stringify } from 'csv-stringify/sync'
import { CSV_FORMAT } from '../../../http/answer/csv-format.ts'

export interface CheckFile {
  readonly stream: Readable
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

const COLUMNS = [
  ...['name', 'type', 'location', 'state', 'dueDate', 'overdue', 'note', 'attackClasses', 'ties', 'vanished'],
  ...['operations', 'untestedOperations', 'requests', 'attempts', 'reachedOrigin', 'refusedByGate'],
  ...['verdict', 'hackers', 'untried', 'lastSeen', 'gte', 'lte'],
  ...VERDICT_WORDS,
]

/** A file of the first page and those after it. */
export const writeChecks = (
  first: ProjectChecks,
  pageAfter: (cursor: string) => Promise<ProjectChecks>,
): CheckFile => ({
  stream: Readable.from(pieces(first, pageAfter), { objectMode: false }),
  contentType: 'text/csv; charset=utf-8',
  headers: {
    'content-disposition': 'attachment; filename="checks.csv"',
    'x-content-type-options': 'nosniff',
  },
})

async function* pieces(
  first: ProjectChecks,
  pageAfter: (cursor: string) => Promise<ProjectChecks>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${COLUMNS.join(',')}\r\n`)
  for (let page = first; ; page = await pageAfter(page.next)) {
    yield Buffer.from(
      stringify(
        page.items.map((check) => rowOf(check, page)),
        { ...CSV_FORMAT, columns: COLUMNS },
      ),
    )
    if (page.next === null) return
  }
}

function rowOf(check: ProjectCheck, { gte, lte }: ProjectChecks): Record<string, string | number> {
  const { verdict } = check
  const gone = check.ties.filter(({ status }) => status === 'vanished' || status === 'site_removed')
  return {
    name: check.name ?? '',
    type: check.type ?? '',
    location: check.location ?? '',
    state: check.state,
    dueDate: check.dueDate ?? '',
    overdue: check.isOverdue ? 'yes' : 'no',
    note: check.note,
    attackClasses: check.attackClasses.join(' '),
    ties: tieWords(check.ties),
    vanished: tieWords(gone),
    ...{ gte, lte },
    ...(verdict && {
      operations: verdict.operations,
      untestedOperations: verdict.untested,
      requests: verdict.requests,
      attempts: verdict.attempts,
      reachedOrigin: verdict.reachedOrigin,
      refusedByGate: verdict.refusedByGate,
      verdict: verdict.verdict ?? 'untested',
      hackers: verdict.hackers.length,
      untried: verdict.untried.join(' '),
      lastSeen: verdict.lastSeen ?? '',
      ...Object.fromEntries(VERDICT_WORDS.map((word) => [word, verdict.verdicts[word] ?? 0])),
    }),
  }
}

/** A line each, within the cell. */
const tieWords = (ties: ProjectCheck['ties']): string =>
  ties
    .map(({ siteId, gatedName, method, template }) =>
      [gatedName || siteId, method, template].filter((word) => word !== undefined).join(' '),
    )
    .join('\n')
