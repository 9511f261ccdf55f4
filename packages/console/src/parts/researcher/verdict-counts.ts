import { furthest, isRefusedByGate, VERDICT_WORDS, type VerdictWord } from '@sallyport/contract'

type Verdicts = Readonly<Partial<Record<VerdictWord, number>>>

/** What people look for first among verdicts. */
export const verdictCounts = (verdicts: Verdicts) => ({
  serverErrors: verdicts.server_error ?? 0,
  /** Answers 429, of a limit of ours or of the origin. */
  throttled: (verdicts.throttled ?? 0) + (verdicts.throttled_by_origin ?? 0),
  /** Refused by the gate, its limits and its firewall included. */
  refused: VERDICT_WORDS.filter(isRefusedByGate).reduce((sum, word) => sum + (verdicts[word] ?? 0), 0),
})

/** The verdict that came furthest of those that requests had. */
export const furthestOf = (verdicts: Verdicts): VerdictWord | undefined =>
  furthest(VERDICT_WORDS.filter((word) => (verdicts[word] ?? 0) > 0))
