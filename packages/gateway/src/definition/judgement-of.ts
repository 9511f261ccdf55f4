/** How a request stands to the API definition of its site. Asked by several stages, and judged once. */
import type { Judgement } from '@sallyport/api-definition'
import type { MistypedValue } from '@sallyport/firewall'
import { canonicalPath, pathReadings } from '@sallyport/policy'
import { perObject } from '@sallyport/toolbox'
import type { Exchange } from '../exchange/exchange.ts'
import { judgedRequest } from '../exchange/judged-request.ts'
import { definitionOf } from './compiled-definitions.ts'

const NO_BODY = Buffer.alloc(0)

/**
 * The judgement of the head; null where the site has no definition that is a rule. `isUnreadable` where it has one that this gateway
 * does not understand.
 */
export function judgementOf(exchange: Exchange): Judgement | 'unreadable' | null {
  const { site } = exchange
  if (!site?.config.definition || (site.config.firewall.definition?.mode ?? 'off') === 'off') return null
  return judged(exchange)
}

const judged = perObject(({ site, request }: Exchange): Judgement | 'unreadable' => {
  const rule = site?.config.definition
  const definition = rule && definitionOf(rule).definition
  if (!definition) return 'unreadable'
  const { methods, targets } = judgedRequest(request)
  const { target, rawHeaders, bodyBytes, websocket } = request
  const judgement = definition.judge(
    {
      methods,
      path: canonicalPath(target),
      readings: pathReadings(targets, site.config.pathConventions),
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
