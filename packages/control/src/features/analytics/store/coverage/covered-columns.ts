/** What coverage counts of one request, as expressions over its columns. The rollups of migrations 0014 and 0016 are filled with the same. */
import { DEFINITION_CLASS, VERDICT_WORDS, type VerdictWord } from '@sallyport/contract'

/** The places of hits that are attempts: those of a class of attack that no exclusion let pass. */
export const COUNTING_HITS = `arrayFilter(hit -> NOT hit_excluded[hit] AND hit_classes[hit] != '${DEFINITION_CLASS}', arrayEnumerate(hit_classes))`

/** The classes of attack that were recognized in a request, each once. */
export const ATTEMPTED_CLASSES = `arrayDistinct(arrayMap(hit -> toString(hit_classes[hit]), ${COUNTING_HITS}))`

/** Who sent it, as a list: of one, or of none for a stranger. */
export const RESEARCHERS = "if(researcher_id = '', [], [toString(researcher_id)])"

const REFUSED_BY_GATE =
  "outcome = 'gate' AND NOT startsWith(reason, 'origin_') AND reason != 'client_aborted'"

/** By verdict, when it is that of a request: when `verdictOf` of the contract gives it. */
const VERDICT_CONDITIONS = {
  server_error: "outcome = 'origin' AND status >= 500",
  reached: "outcome = 'origin' AND status >= 100 AND status < 400",
  refused_by_origin: "outcome = 'origin' AND status >= 400 AND status < 500 AND status != 429",
  throttled_by_origin: "outcome = 'origin' AND status = 429",
  unanswered:
    "outcome = 'interrupted' OR outcome = 'origin' AND status < 100 OR outcome = 'gate' AND (startsWith(reason, 'origin_') OR reason = 'client_aborted')",
  definition: "outcome = 'firewall' AND reason = 'definition'",
  throttled: "outcome = 'limit'",
  firewall: "outcome = 'firewall' AND reason != 'definition'",
  block: "outcome = 'block'",
  gate: REFUSED_BY_GATE,
} as const satisfies Record<VerdictWord, string>

/** By verdict, how many had it, of a row that stands for as many as its column `count` says. */
export const verdictCounts = (count: string): Readonly<Record<VerdictWord, string>> => {
  const counts: Record<VerdictWord, string> = { ...VERDICT_CONDITIONS }
  for (const word of VERDICT_WORDS) counts[word] = `if(${VERDICT_CONDITIONS[word]}, ${count}, 0)`
  return counts
}

/** The same of requests. */
export const VERDICT_COUNTS = verdictCounts('request_count')

/** Requests that the gate refused before the firewall looked. */
export const UNINSPECTED_COUNT = `if(inspection = 'skipped' AND (outcome IN ('limit', 'block') OR ${REFUSED_BY_GATE}), request_count, 0)`
