/** What coverage counts of one request, as expressions over its columns. The rollups of migration 0014 are filled with the same. */
import { DEFINITION_CLASS, type VerdictWord } from '@sallyport/contract'

/** The places of hits that are attempts: those of a class of attack that no exclusion let pass. */
export const COUNTING_HITS = `arrayFilter(hit -> NOT hit_excluded[hit] AND hit_classes[hit] != '${DEFINITION_CLASS}', arrayEnumerate(hit_classes))`

/** The classes of attack that were recognized in a request, each once. */
export const ATTEMPTED_CLASSES = `arrayDistinct(arrayMap(hit -> toString(hit_classes[hit]), ${COUNTING_HITS}))`

/** Who sent it, as a list: of one, or of none for a stranger. */
export const RESEARCHERS = "if(researcher_id = '', [], [toString(researcher_id)])"

const countIf = (condition: string): string => `if(${condition}, request_count, 0)`

const REFUSED_BY_GATE =
  "outcome = 'gate' AND NOT startsWith(reason, 'origin_') AND reason != 'client_aborted'"

/** By verdict, how many requests had it: those that `verdictOf` of the contract gives it. */
export const VERDICT_COUNTS = {
  server_error: countIf("outcome = 'origin' AND status >= 500"),
  reached: countIf("outcome = 'origin' AND status >= 100 AND status < 400"),
  refused_by_origin: countIf("outcome = 'origin' AND status >= 400 AND status < 500 AND status != 429"),
  throttled_by_origin: countIf("outcome = 'origin' AND status = 429"),
  unanswered: countIf(
    "outcome = 'interrupted' OR outcome = 'origin' AND status < 100 OR outcome = 'gate' AND (startsWith(reason, 'origin_') OR reason = 'client_aborted')",
  ),
  definition: countIf("outcome = 'firewall' AND reason = 'definition'"),
  throttled: countIf("outcome = 'limit'"),
  firewall: countIf("outcome = 'firewall' AND reason != 'definition'"),
  block: countIf("outcome = 'block'"),
  gate: countIf(REFUSED_BY_GATE),
} as const satisfies Record<VerdictWord, string>

/** Requests that the gate refused before the firewall looked. */
export const UNINSPECTED_COUNT = countIf(
  `inspection = 'skipped' AND (outcome IN ('limit', 'block') OR ${REFUSED_BY_GATE})`,
)
