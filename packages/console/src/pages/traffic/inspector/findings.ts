/** Hits of the firewall as findings: what one value of a request was taken for, by however many rules. */
import { type FirewallHit, SEVERITIES } from '@sallyport/contract'

export interface RequestFinding {
  readonly class: string
  readonly part: string
  /** Empty where the part has no names, as a path has none. */
  readonly parameter: string
  /** Whether exclusions of the site let it pass: all hits are of one kind. */
  readonly excluded: boolean
  /** The gravest of its hits, and the likeliest. */
  readonly severity: FirewallHit['severity']
  readonly scorePercent: number
  readonly reason: string
  /** At least one, in the order of the record. */
  readonly hits: readonly FirewallHit[]
}

/** Hits of one class in one place are one finding; those that count come first, the gravest of them before the others. */
export function findingsOf(hits: readonly FirewallHit[]): readonly RequestFinding[] {
  const places = Map.groupBy(hits, (hit) =>
    JSON.stringify([hit.excluded, hit.class, hit.part, hit.parameter]),
  )
  return [...places.values()].flatMap(findingOf).toSorted((left, right) => rank(right) - rank(left))
}

function findingOf(hits: readonly FirewallHit[]): readonly RequestFinding[] {
  const [first] = hits
  if (!first) return []
  const gravest = hits.reduce((one, other) => (graveness(other) > graveness(one) ? other : one))
  const likeliest = hits.reduce((one, other) => (other.scorePercent > one.scorePercent ? other : one))
  const { class: attackClass, part, parameter, excluded } = first
  const { scorePercent, reason } = likeliest
  return [
    { class: attackClass, part, parameter, excluded, severity: gravest.severity, scorePercent, reason, hits },
  ]
}

const graveness = ({ severity }: Pick<FirewallHit, 'severity'>): number => SEVERITIES.indexOf(severity)

const rank = (finding: RequestFinding): number =>
  (finding.excluded ? 0 : 10_000) + graveness(finding) * 1_000 + finding.scorePercent

/** The rules of a finding, each once. */
export const rulesOf = ({ hits }: RequestFinding): readonly string[] => [
  ...new Set(hits.map(({ rule }) => rule)),
]
