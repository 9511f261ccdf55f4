/** How a request stands to the API definition of its site. Asked by several stages, and judged once. */
import type { Judgement } from '@sallyport/api-definition'
import type { MistypedValue } from '@sallyport/firewall'
import { originFormOf } from '@sallyport/http1'
import { canonicalPath, isAmbiguous, pathReadings } from '@sallyport/policy'
import { perObject } from '@sallyport/toolbox'
import type { Exchange, ReceivedRequest } from '../exchange/exchange.ts'
import { judgedRequest } from '../exchange/judged-request.ts'
import { definitionOf } from './compiled-definitions.ts'

const NO_BODY = Buffer.alloc(0)

/**
 * The judgement of the head; null where the site has no definition that is a rule, and of a question about the server as a whole.
 * `unreadable` where it has one that this gateway does not understand, or was not sent.
 */
export function judgementOf(exchange: Exchange): Judgement | 'unreadable' | null {
  const { site } = exchange
  if ((site?.config.firewall.definition?.mode ?? 'off') === 'off' || asksOfServer(exchange.request))
    return null
  return judged(exchange)
}

/** `OPTIONS *` (RFC 9110, section 9.3.7), where no header asks for something else. */
const asksOfServer = (request: ReceivedRequest): boolean =>
  request.target === '*' && request.method === 'OPTIONS' && request.headers.meaning.named.length === 0

/** A query that some may take for a part of the path. */
const MAY_CLIMB = /\?.*(?:%|\.\.)/s

const judged = perObject(({ site, request }: Exchange): Judgement | 'unreadable' => {
  const rule = site?.config.definition
  const definition = rule && definitionOf(rule).definition
  if (!definition) return 'unreadable'
  const { methods, targets } = judgedRequest(request)
  const { rawHeaders, bodyBytes, websocket } = request
  // The host of an absolute form was found to be that of the request.
  const target = originFormOf(request.target)
  const judgement = definition.judge(
    {
      methods,
      path: canonicalPath(target),
      readings: pathReadings([target, ...targets.slice(1)], site.config.pathConventions),
      isPlain: targets.length === 1 && !isAmbiguous(target) && !MAY_CLIMB.test(target),
      query: queryOf(target),
      rawHeaders,
    },
    { judgesUndeclared: site.config.firewall.definition?.undeclaredParameters ?? false },
  )
  if (bodyBytes === 0 && !websocket) judgement.judgeBody({ contentTypes: [], bytes: NO_BODY })
  return judgement
})

/** Values of the head that are not of the types that they are declared to be of; none of most requests. */
export function mistypedOf(exchange: Exchange): readonly MistypedValue[] | undefined {
  const judgement = judgementOf(exchange)
  if (judgement === null || judgement === 'unreadable') return undefined
  const mistyped = judgement.violations.filter(({ isNarrow }) => isNarrow)
  return mistyped.length === 0
    ? undefined
    : mistyped.map(({ part, parameter, sent }) => ({ part, parameter, text: sent }))
}

const queryOf = (target: string): string => {
  const start = target.indexOf('?')
  return start === -1 ? '' : target.slice(start + 1)
}
