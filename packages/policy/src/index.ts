/** The public face of the policy package: what the gateway, the control plane and the console must judge in the same way. */
export { type AddressPolicy, createAddressPolicy } from './address-policy.ts'
export { isAmbiguous } from './ambiguous.ts'
export { type BlockMatch, BlockMatcher } from './block-matcher.ts'
export { canonicalPath } from './canonical-path.ts'
export { FirewallPolicy, type HitJudgement, type JudgedHit } from './firewall-policy.ts'
export { type Reading, type Readings, readingsOf } from './readings.ts'
export { RequestTargets, TARGETS_MAX } from './request-targets.ts'
