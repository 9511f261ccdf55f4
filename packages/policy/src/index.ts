/** The public face of the policy package: what the gateway, the control plane and the console must judge in the same way. */
export * from './access.ts'
export { type AddressPolicy, createAddressPolicy } from './addresses/address-policy.ts'
export { type AddressRanges, createAddressRanges, plainAddress } from './addresses/address-ranges.ts'
export { networkOf } from './addresses/network-of.ts'
export { hostAtGatedName, hostAtOrigin, isWildcardHost, wildcardAbove } from './hosts/wildcard-hosts.ts'
export { decideLimits, type LimitDecision, type Remaining } from './limiters/decide.ts'
export * from './limiters/limiter-kind.ts'
export * from './limiters/registry.ts'
export { LIMITER_WORDS } from './limiters/words.ts'
export { isAmbiguous } from './paths/ambiguous.ts'
export { canonicalPath } from './paths/canonical-path.ts'
export { interpretationsOf } from './paths/path-interpretations.ts'
export { pathReadings } from './paths/path-readings.ts'
export { percentDecodeStrictly } from './paths/percent-decoding.ts'
export { RequestTargets, TARGETS_MAX } from './paths/request-targets.ts'
export {
  compileRoutes,
  ROUTES_CHARS_MAX,
  ROUTES_MAX,
  type Routes,
  RouteTree,
} from './routes/compile-routes.ts'
export { readTemplate, templateShape } from './routes/template.ts'
export { type BlockMatch, BlockMatcher, TOO_MANY_INTERPRETATIONS } from './rules/block-matcher.ts'
export { isInForce } from './rules/expiry.ts'
export { FirewallPolicy, type HitJudgement, type JudgedHit } from './rules/firewall-policy.ts'
export { foldName, mayNameMethod, namedMethods } from './rules/named-methods.ts'
