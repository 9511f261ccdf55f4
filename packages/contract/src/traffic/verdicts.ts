/**
 * What became of a request that was an attempt: of a class of attack on an operation, or of a method. Each attempt has one
 * verdict; of several, the one that came furthest counts for all.
 */
import { keysOf } from '../keys-of.ts'
import type { Outcome } from './values.ts'

/** Verdicts with their meaning, the furthest first: this order is the precedence. */
export const VERDICTS = {
  server_error: 'the origin answered 5xx: a mark to look at, no proof',
  reached: 'the origin answered below 400',
  refused_by_origin: 'the origin answered 4xx other than 429',
  throttled_by_origin: 'the origin answered 429',
  unanswered:
    'no answer of the origin is known: it was away, broke off, or the sender or the gateway went away',
  definition: 'the API definition in force as a rule refused it, after the firewall had looked',
  throttled: 'a rate limit of the gate refused it',
  firewall: 'the firewall refused it',
  block: 'a block rule refused it',
  gate: 'the gate refused it for another reason, which `by` names',
} as const
export type VerdictWord = keyof typeof VERDICTS
/** The words, in the order of precedence. */
export const VERDICT_WORDS: readonly VerdictWord[] = keysOf(VERDICTS)

/** Why no class of attack was tried on an operation. */
export const UNTESTED = {
  untried: 'no request to it was an attempt, or there was none',
  refused: 'the gate refused every request to it',
  refused_before_inspection: 'the gate refused every request to it before the firewall looked',
} as const
export type UntestedWord = keyof typeof UNTESTED
export const UNTESTED_WORDS: readonly UntestedWord[] = keysOf(UNTESTED)

/** The verdicts after which nothing is known of the origin, because the gate did not ask it. */
const OF_THE_GATE: ReadonlySet<VerdictWord> = new Set([
  'definition',
  'throttled',
  'firewall',
  'block',
  'gate',
])

/** Whether the gate refused, so that what looks clean was never tested. */
export const isRefusedByGate = (verdict: VerdictWord): boolean => OF_THE_GATE.has(verdict)

/** What of a request decides about its verdict. */
export interface JudgedAnswer {
  readonly outcome: Outcome
  readonly status: number
  readonly reason: string
}

/** The verdict of one request. */
export function verdictOf({ outcome, status, reason }: JudgedAnswer): VerdictWord {
  if (outcome === 'limit') return 'throttled'
  if (outcome === 'firewall') return reason === 'definition' ? 'definition' : 'firewall'
  if (outcome === 'block') return 'block'
  if (outcome === 'interrupted') return 'unanswered'
  if (outcome === 'gate') return UNANSWERED.test(reason) ? 'unanswered' : 'gate'
  return ofOrigin(status)
}

/** Reasons of the gate that are about the origin, or about a sender who went away. */
const UNANSWERED = /^(?:origin_|client_aborted$)/

function ofOrigin(status: number): VerdictWord {
  if (status === 429) return 'throttled_by_origin'
  if (status >= 500) return 'server_error'
  if (status >= 400) return 'refused_by_origin'
  return status >= 100 ? 'reached' : 'unanswered'
}

/** The verdict that came furthest; undefined of none. */
export const furthest = (verdicts: Iterable<VerdictWord>): VerdictWord | undefined => {
  const present = new Set(verdicts)
  return VERDICT_WORDS.find((word) => present.has(word))
}
