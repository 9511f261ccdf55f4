/**
 * Everything under `/.sallyport/` is the gate's own: the researcher's page and its API are served, and nothing else that
 * could be read as lying there goes any further.
 *
 * Two stages. The files of the page come before the researcher stage, because the page is also where a key is typed in;
 * they are the same on every site and say nothing of it. The API comes after it.
 */
import { RESEARCHER_API_PATH, RESEARCHER_PAGE_PATH } from '@sallyport/contract/words'
import { BlockMatcher } from '@sallyport/policy'
import { type Reply, refuse, type Stage } from '../../exchange.ts'
import { answerApi, OWN_RULE, type ResearcherApiParts } from './answer-api.ts'
import { RevealPace } from './reveal-pace.ts'

/** Makes the stage that serves the page's files. */
export function createPageStage(files: ReadonlyMap<string, Reply>): Stage {
  return ({ request }) => {
    if (!request.target.startsWith(RESEARCHER_PAGE_PATH)) return null
    if (request.method !== 'GET' && request.method !== 'HEAD') return null
    return files.get(request.target.split('?', 1)[0] ?? '') ?? null
  }
}

/** Most targets hold nothing that could hide our prefix; they are told apart without working out their readings. */
const SUSPECT = /sallyport|[%\\(]|[^!-~]/i
const ANY_METHOD: readonly string[] = ['GET']

/** Makes the stage that answers the API and refuses every other reading of a path of ours. */
export function createOwnPathsStage(parts: ResearcherApiParts): Stage {
  const rule = {
    id: OWN_RULE,
    pathPrefix: RESEARCHER_PAGE_PATH.slice(0, -1),
    methods: [],
    status: 404,
    enabled: true,
  }
  const matcher = new BlockMatcher([rule])
  const pace = new RevealPace()
  return (exchange) => {
    const { request, site, researcher, event } = exchange
    if (!SUSPECT.test(request.target)) return null
    if (site && researcher && request.target.startsWith(RESEARCHER_API_PATH))
      return answerApi(exchange, site, researcher, parts, pace)
    const match = matcher.match(ANY_METHOD, request.target, event.time)
    return match ? refuse(404, 'block', 'block_rule', { rule: OWN_RULE, reading: match.reading }) : null
  }
}
