/**
 * Nothing that is read as lying under `/.sallyport/` goes to an origin: those paths are the gate's on every site, and
 * but for the way to sign in there is nothing there. A target with more readings than are worked out passes, other than by the owner's
 * rules: what an origin might answer to it stands at another path for every browser.
 */
import { GATED_OWN_PATH } from '@sallyport/contract/words'
import { BlockMatcher, TOO_MANY_INTERPRETATIONS } from '@sallyport/policy'
import { refuse, type Stage } from '../../exchange/exchange.ts'

/** The rule that refusals under `/.sallyport/` name: it is the gate's, on every site. */
const OWN_RULE = 'sallyport'
/** Most targets hold nothing that could hide our prefix; they are told apart without working out their readings. */
const SUSPECT = /sallyport|[%\\(]|[^!-~]/i
const ANY_METHOD: readonly string[] = ['GET']

/** Makes the stage that refuses every reading of a path of ours. */
export function createOwnPathsStage(): Stage {
  const rule = {
    id: OWN_RULE,
    pathPrefix: GATED_OWN_PATH.slice(0, -1),
    methods: [],
    status: 404,
    enabled: true,
  }
  const matcher = new BlockMatcher([rule])
  return ({ request, event }) => {
    if (!SUSPECT.test(request.target)) return null
    const match = matcher.match(ANY_METHOD, request.target, event.time)
    if (!match || match.reading === TOO_MANY_INTERPRETATIONS) return null
    return refuse(404, 'block', 'block_rule', { rule: OWN_RULE, reading: match.reading })
  }
}
