/**
 * Coverage as JUnit XML, which pipelines show: a suite for each operation, a case for each class of attack. What was never tried is
 * skipped, and so is what only looks clean because the gate refused it. Nothing but a bound that is exceeded fails: a 5xx is a
 * mark to look at, and whether it ends a pipeline is what `maxServerErrors` is for.
 */
import type { CoverageCell, CoverageMap, CoveredOperation } from '@sallyport/contract'
import { isRefusedByGate, UNTESTED, VERDICTS } from '@sallyport/contract'

/** A piece for each operation. */
export function* junitOf(map: CoverageMap): Generator<string> {
  const { operations, classes, bounds } = map
  const skipped = operations.reduce((sum, { cells }) => sum + classes.length - testedIn(cells), 0)
  const failures = bounds.exceeded.length
  yield '<?xml version="1.0" encoding="UTF-8"?>\n'
  yield `<testsuites name="coverage" tests="${operations.length * classes.length + failures}" failures="${failures}" skipped="${skipped}">\n`
  if (failures > 0) yield boundsSuite(bounds.exceeded)
  for (const operation of operations) yield suiteOf(operation, classes)
  yield '</testsuites>\n'
}

const testedIn = (cells: readonly CoverageCell[]): number =>
  cells.filter(({ verdict }) => !isRefusedByGate(verdict)).length

function boundsSuite(exceeded: CoverageMap['bounds']['exceeded']): string {
  const cases = exceeded.map(
    ({ bound, limit, count }) =>
      `    <testcase classname="bounds" name="${bound}"><failure message="${count} are more than ${limit}"/></testcase>\n`,
  )
  return `  <testsuite name="bounds" tests="${exceeded.length}" failures="${exceeded.length}" skipped="0">\n${cases.join('')}  </testsuite>\n`
}

function suiteOf(
  { method, template, cells, untested }: CoveredOperation,
  classes: CoverageMap['classes'],
): string {
  const name = xmlText(`${method} ${template}`)
  const byClass = new Map(cells.map((cell) => [cell.class, cell]))
  const cases = classes.map(
    ({ class: className, words }) =>
      `    <testcase classname="${name}" name="${xmlText(words)}">${resultOf(byClass.get(className), untested)}</testcase>\n`,
  )
  const skipped = classes.length - testedIn(cells)
  return `  <testsuite name="${name}" tests="${classes.length}" failures="0" skipped="${skipped}">\n${cases.join('')}  </testsuite>\n`
}

function resultOf(cell: CoverageCell | undefined, untested: CoveredOperation['untested']): string {
  if (cell === undefined)
    return untested === null || untested === 'untried'
      ? '<skipped message="never tried"/>'
      : `<skipped message="${xmlText(`never tried: ${UNTESTED[untested]}`)}"/>`
  const words = `${cell.attempts} attempts; the furthest: ${VERDICTS[cell.verdict]}`
  if (isRefusedByGate(cell.verdict))
    return `<skipped message="${xmlText(`clean because refused by the gate: ${words}`)}"/>`
  return `<system-out>${xmlText(words)}</system-out>`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** A text as an attribute or an element has it; characters that XML 1.0 cannot hold (section 2.2) become U+FFFD. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot hold
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? '')
