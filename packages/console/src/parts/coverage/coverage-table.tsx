/**
 * The map: a row for each operation, a column for each class of attack. Only the rows that show are in the document, because a large API
 * has thousands of cells. Arrow keys move between cells that were tried.
 */
import { type KeyboardEvent, useMemo, useState } from 'react'
import type { CellName, Coverage, CoverageOperation } from '../../api/queries/coverage-queries.ts'
import { isolated } from '../../design/isolated.ts'
import { Tag } from '../../design/table/status.tsx'
import { compactNumber } from '../../language/number.ts'
import { AttackSquare } from '../attack/attack-name.tsx'
import classes from './coverage.module.css'
import { CoverageLegend } from './coverage-legend.tsx'
import { texts } from './texts.ts'
import { cellWords, shownVerdict, UNTESTED_WORDS } from './verdict-words.ts'

const ROW_PX = 34
const VISIBLE_ROWS = 24
const SPARE_ROWS = 12

interface MapProps {
  readonly coverage: Coverage
  readonly order: 'definition' | 'untested'
  readonly onCell: (cell: CellName) => void
}

/** The map with what its marks mean. It begins at its top again where the order, or what is `shown`, is another. */
export function CoverageMapWithLegend(props: MapProps & { readonly shown?: string }) {
  return (
    <>
      <CoverageTable key={`${props.shown} ${props.order}`} {...props} />
      <CoverageLegend />
    </>
  )
}

function CoverageTable({ coverage, order, onCell }: MapProps) {
  const [first, setFirst] = useState(0)
  const operations = useMemo(() => ordered(coverage.operations, order), [coverage.operations, order])
  const start = Math.max(0, Math.min(first, operations.length - VISIBLE_ROWS) - SPARE_ROWS)
  const shown = operations.slice(start, start + VISIBLE_ROWS + 2 * SPARE_ROWS)
  const after = operations.length - start - shown.length
  const columns = coverage.classes.length + 1
  return (
    <section
      className={classes.scroll}
      aria-label={texts.mapOfCoverage}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={(event) => setFirst(Math.floor(event.currentTarget.scrollTop / ROW_PX))}
    >
      <table
        className={classes.map}
        aria-label={texts.attemptsByOperation}
        aria-rowcount={operations.length + 1}
        onKeyDown={moveBetweenCells}
      >
        <thead>
          <tr>
            <th scope="col">{texts.operation}</th>
            {coverage.classes.map((one) => (
              <th key={one.class} scope="col" title={namesOf(one)}>
                <span>
                  <AttackSquare attackClass={one.class} /> {isolated(one.words)}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={start} columns={columns} />
          {shown.map((operation, index) => (
            <OperationRow
              key={`${operation.method} ${operation.template}`}
              operation={operation}
              index={start + index}
              classNames={coverage.classes}
              onCell={onCell}
            />
          ))}
          <Spacer rows={after} columns={columns} />
        </tbody>
      </table>
    </section>
  )
}

/** Stands for rows that are not in the document. */
const Spacer = ({ rows, columns }: { readonly rows: number; readonly columns: number }) =>
  rows > 0 ? (
    <tr>
      <td colSpan={columns} style={{ height: rows * ROW_PX, padding: 0 }} />
    </tr>
  ) : null

function OperationRow(props: {
  readonly operation: CoverageOperation
  readonly index: number
  readonly classNames: Coverage['classes']
  readonly onCell: MapProps['onCell']
}) {
  const { operation, index, classNames, onCell } = props
  const { method, template, untested } = operation
  const refused = untested === null ? '' : UNTESTED_WORDS[untested]
  const byClass = new Map(operation.cells.map((cell) => [cell.class, cell]))
  return (
    <tr aria-rowindex={index + 2} data-untested={operation.verdict === null}>
      <th scope="row" title={requestWords(operation)}>
        {refused === '' ? null : (
          <span className={classes.refused} role="img" aria-label={refused} title={refused}>
            ⊘
          </span>
        )}
        <Tag>{method}</Tag> <code>{isolated(template)}</code>
      </th>
      {classNames.map((one, column) => {
        const cell = byClass.get(one.class)
        if (!cell) return <td key={one.class} />
        const { mark, tone } = shownVerdict(cell.verdict)
        const words = cellWords(cell.verdict, cell.attempts)
        return (
          <td key={one.class}>
            <button
              type="button"
              className={classes.cell}
              data-tone={tone}
              data-row={index}
              data-column={column}
              title={words}
              aria-label={`${one.words}: ${words}`}
              onClick={() => onCell({ method, template, class: one.class })}
            >
              {compactNumber(cell.attempts)}
              {mark}
            </button>
          </td>
        )
      })}
    </tr>
  )
}

const requestWords = ({ requests, uninspected }: CoverageOperation): string =>
  texts.requests(requests, uninspected > 0 ? texts.ofWhichTheGate(uninspected) : '')

/** Those of which least was tried come first. */
const ordered = (
  operations: readonly CoverageOperation[],
  order: MapProps['order'],
): readonly CoverageOperation[] =>
  order === 'definition'
    ? operations
    : operations.toSorted(
        (left, right) => left.cells.length - right.cells.length || left.requests - right.requests,
      )

const namesOf = ({ owaspApi, wstg, cwe }: Coverage['classes'][number]): string =>
  [...owaspApi, ...wstg, ...cwe.map((number) => `CWE-${number}`)].join(', ')

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/** To the next cell that was tried in the direction of the key, of those in the document. */
function moveBetweenCells(event: KeyboardEvent<HTMLTableElement>): void {
  const step = STEPS[event.key]
  const from = document.activeElement
  if (!step || !(from instanceof HTMLElement) || from.dataset.row === undefined) return
  event.preventDefault()
  const [rowStep, columnStep] = step
  const along = (button: HTMLElement): number =>
    rowStep === 0
      ? (Number(button.dataset.column) - Number(from.dataset.column)) * columnStep
      : (Number(button.dataset.row) - Number(from.dataset.row)) * rowStep
  const isInLine = (button: HTMLElement): boolean =>
    rowStep === 0 ? button.dataset.row === from.dataset.row : button.dataset.column === from.dataset.column
  const next = [...event.currentTarget.querySelectorAll<HTMLElement>('button[data-row]')]
    .filter((button) => isInLine(button) && along(button) > 0)
    .sort((left, right) => along(left) - along(right))[0]
  next?.focus()
}
