/** Coverage as CSV (RFC 4180): a row for each operation and class, and for each parameter and class, tried or not. */
import {
  type CoverageCell,
  type CoverageMap,
  type CoveredOperation,
  VERDICT_WORDS,
} from '@sallyport/contract'
import { stringify } from 'csv-stringify/sync'
import { CSV_FORMAT } from '../../../http/answer/csv-format.ts'

/** What stands for the verdict of a class that was never tried: where the gate refused every request, that. */
const untriedWord = ({ untested }: CoveredOperation): string =>
  untested === null || untested === 'untried' ? 'untested' : untested

/** In a table of more operations who tried is counted by operation and class, and left open by parameter: there are too many cells to tell. */
export const COUNTED_OPERATIONS_MAX = 45

type AttackClass = CoverageMap['classes'][number]
type Row = Record<string, string | number>

const NO_PARAMETER = { place: '', name: '' }
const COLUMNS =
  'method template source place parameter class verdict attempts hackers firstSeen lastSeen owaspApi wstg cwe'
    .split(' ')
    .concat(VERDICT_WORDS)

/** A piece for each operation. */
export function* csvOf({ operations, classes }: CoverageMap): Generator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for (const operation of operations)
    yield stringify(rowsOf(operation, classes, operations.length <= COUNTED_OPERATIONS_MAX), {
      ...CSV_FORMAT,
      columns: COLUMNS,
    })
}

const rowsOf = (
  operation: CoveredOperation,
  classes: readonly AttackClass[],
  areAllCounted: boolean,
): Row[] =>
  [{ ...NO_PARAMETER, cells: operation.cells }, ...(operation.parameters ?? [])].flatMap(
    ({ place, name, cells }) => {
      const byClass = new Map(cells.map((cell) => [cell.class, cell]))
      return classes.map((attackClass) => ({
        method: operation.method,
        template: operation.template,
        source: operation.source,
        place,
        parameter: name,
        ...cellOf(operation, byClass.get(attackClass.class)),
        ...(place !== '' && !areAllCounted && { hackers: '' }),
        ...namesOf(attackClass),
      }))
    },
  )

const cellOf = (operation: CoveredOperation, cell: CoverageCell | undefined): Row => ({
  verdict: cell?.verdict ?? untriedWord(operation),
  attempts: cell?.attempts ?? 0,
  hackers: cell?.hackerCount ?? cell?.hackers.length ?? 0,
  firstSeen: cell?.firstSeen ?? '',
  lastSeen: cell?.lastSeen ?? '',
  ...Object.fromEntries(VERDICT_WORDS.map((word) => [word, cell?.verdicts[word] ?? 0])),
})

const namesOf = ({ class: name, owaspApi, wstg, cwe }: AttackClass): Row => ({
  class: name,
  owaspApi: owaspApi.join(' '),
  wstg: wstg.join(' '),
  cwe: cwe.map((number) => `CWE-${number}`).join(' '),
})
