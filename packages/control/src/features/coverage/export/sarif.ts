/**
 * Coverage as SARIF 2.1.0 (OASIS): a rule for each class of attack, a result for each operation and class. What was never tried, and what only
 * looks clean because the gate refused it, is `open`: nothing was concluded. An answer 5xx is a `fail` at the level of a warning.
 */
import type { CoverageCell, CoverageMap, CoveredOperation } from '@sallyport/contract'
import { isRefusedByGate, UNTESTED, VERDICTS } from '@sallyport/contract'

type AttackClass = CoverageMap['classes'][number]

/** The lists that classes name, with how a class says what it has of each. */
const LISTS: readonly {
  readonly name: string
  readonly organization: string
  readonly namesOf: (attackClass: AttackClass) => readonly string[]
}[] = [
  { name: 'CWE', organization: 'MITRE', namesOf: ({ cwe }) => cwe.map((number) => `CWE-${number}`) },
  { name: 'WSTG', organization: 'OWASP', namesOf: ({ wstg }) => wstg },
  { name: 'OWASP API Security Top 10', organization: 'OWASP', namesOf: ({ owaspApi }) => owaspApi },
]

/** One run, whose notifications are the bounds that were exceeded. */
export function sarifOf({ operations, classes, bounds, gte, lte }: CoverageMap) {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Sallyport', rules: classes.map(ruleOf) } },
        taxonomies: LISTS.map(({ name, organization, namesOf }) => ({
          name,
          organization,
          taxa: [...new Set(classes.flatMap(namesOf))].map((id) => ({ id })),
        })),
        invocations: [
          {
            executionSuccessful: true,
            startTimeUtc: gte,
            endTimeUtc: lte,
            toolExecutionNotifications: bounds.exceeded.map(({ bound, limit, count }) => ({
              level: 'error',
              message: { text: `${bound}: ${count} are more than ${limit}` },
            })),
          },
        ],
        results: operations.flatMap((operation) => resultsOf(operation, classes)),
      },
    ],
  }
}

const ruleOf = (attackClass: AttackClass) => ({
  id: attackClass.class,
  shortDescription: { text: attackClass.words },
  relationships: LISTS.flatMap(({ name, namesOf }) =>
    namesOf(attackClass).map((id) => ({
      target: { id, toolComponent: { name } },
      kinds: ['relevant'],
    })),
  ),
})

function resultsOf({ method, template, cells, untested }: CoveredOperation, classes: readonly AttackClass[]) {
  const name = `${method} ${template}`.toWellFormed()
  const byClass = new Map(cells.map((cell) => [cell.class, cell]))
  return classes.map((attackClass, ruleIndex) => ({
    ruleId: attackClass.class,
    ruleIndex,
    ...judgementOf(byClass.get(attackClass.class), untested),
    locations: [{ logicalLocations: [{ fullyQualifiedName: name, kind: 'resource' }] }],
    partialFingerprints: { 'operationAndClass/v1': `${name} ${attackClass.class}` },
  }))
}

function judgementOf(cell: CoverageCell | undefined, untested: CoveredOperation['untested']) {
  if (cell === undefined) {
    const why = untested === null || untested === 'untried' ? '' : `: ${UNTESTED[untested]}`
    return {
      kind: 'open',
      level: 'none',
      message: { text: `Never tried${why}.` },
      properties: { attempts: 0 },
    }
  }
  const { attempts, verdict, verdicts, hackers, firstSeen, lastSeen } = cell
  const properties = { attempts, verdict, verdicts, hackers, firstSeen, lastSeen }
  const words = `${attempts} attempts; the furthest: ${VERDICTS[verdict]}.`
  if (isRefusedByGate(verdict))
    return {
      kind: 'open',
      level: 'none',
      message: { text: `Clean because refused by the gate. ${words}` },
      properties,
    }
  return verdict === 'server_error'
    ? { kind: 'fail', level: 'warning', message: { text: words }, properties }
    : { kind: 'informational', level: 'none', message: { text: words }, properties }
}
