/** The public face of the policy package: what the gateway, the control plane and the console must judge in the same way. */
export {
  type AccessReason,
  type AccessResearcher,
  type AccessSite,
  decideAccess,
  isAdmitted,
  isOpenOrOpensLater,
  isOrganizationOpen,
  isSiteOpen,
  listAdmits,
  researcherState,
  whyResearcherRefused,
  whySiteClosed,
  windowState,
} from './access.ts'
export { type AddressPolicy, createAddressPolicy } from './addresses/address-policy.ts'
export { networkOf } from './addresses/network-of.ts'
export {
  type Budget,
  LEASE_MS,
  type Limiter,
  type LimiterKind,
  type LimiterWords,
} from './limiters/limiter-kind.ts'
export {
  createLimiter,
  holdsPermits,
  LIMITER_KINDS,
  LIMITER_WORDS,
  limiterKindOf,
  limiterWords,
  policyWords,
} from './limiters/registry.ts'
export { isAmbiguous } from './paths/ambiguous.ts'
export { canonicalPath } from './paths/canonical-path.ts'
export {
  interpretationsOf,
  type PathInterpretation,
  type PathInterpretations,
} from './paths/path-interpretations.ts'
export { percentDecodeStrictly } from './paths/percent-decoding.ts'
export { RequestTargets, TARGETS_MAX } from './paths/request-targets.ts'
export { type BlockMatch, BlockMatcher } from './rules/block-matcher.ts'
export { isInForce } from './rules/expiry.ts'
export { FirewallPolicy, type HitJudgement, type JudgedHit } from './rules/firewall-policy.ts'
