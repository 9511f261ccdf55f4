/**
 * The block stage: refuses a request of which any reading falls under a block rule of its site, and, where the site
 * wants that, every target that can be read in more than one way.
 */
import { type BlockMatch, BlockMatcher, isAmbiguous } from '@sallyport/policy'
import { perObject } from '@sallyport/toolbox'
import { type Exchange, refuse, type Verdict } from '../../exchange/exchange.ts'
import { type JudgedRequest, judgedRequest } from '../../exchange/judged-request.ts'
import type { CompiledSite } from '../../snapshot/snapshot.ts'

const matcherOf = perObject(
  ({ config }: CompiledSite) => new BlockMatcher(config.blockRules, config.pathConventions),
)

/** Judges by the rules of `exchange.site`; a request that has none passes. */
export function judgeBlockRules(exchange: Exchange): Verdict {
  const { request, site, event } = exchange
  if (!site) return null
  const { blockRules, refuseAmbiguousTargets } = site.config
  if (blockRules.length > 0) {
    const match = matchOf(matcherOf(site), judgedRequest(request), event.time)
    if (match)
      return refuse(match.rule.status, 'block', 'block_rule', { rule: match.rule.id, reading: match.reading })
  }
  if (refuseAmbiguousTargets && isAmbiguous(request.target)) return refuse(400, 'block', 'ambiguous_target')
  return null
}

function matchOf(
  matcher: BlockMatcher,
  { methods, targets, namedBy }: JudgedRequest,
  now: number,
): BlockMatch | undefined {
  const found = matcher.matchAny(methods, targets, now)
  return found && describeMatch(found.match, methods, namedBy[found.index])
}

/** The reading of a target that a header names says so, and so does that of a request that is taken for another method. */
function describeMatch(
  { rule, reading }: BlockMatch,
  methods: readonly string[],
  name: string | undefined,
): BlockMatch {
  const [own = '', ...others] = methods.map((method) => method.toUpperCase())
  const other = rule.methods.includes(own)
    ? undefined
    : others.find((method) => rule.methods.includes(method))
  const by = name === undefined ? '' : `${name} header, `
  return { rule, reading: by + reading + (other === undefined ? '' : `, taken for ${other}`) }
}
