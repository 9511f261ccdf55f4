/**
 * The definition stage: the API definition of a site as a rule. The head is judged here; a body as the firewall reads it, of what is
 * held in memory for that anyway. Sites without the rule cost one look.
 */
import type { Judgement } from '@sallyport/api-definition'
import { DEFAULT_UNINSPECTED } from '@sallyport/contract/words'
import { DEFAULT_INSPECTION_BUDGET, decompress } from '@sallyport/firewall'
import { judgementOf } from '../../definition/judgement-of.ts'
import {
  type BodyInspection,
  type Exchange,
  type Refusal,
  refuse,
  type Verdict,
} from '../../exchange/exchange.ts'
import type { CompiledSite } from '../../snapshot/snapshot.ts'
import { applyViolations, mayRefuse } from './definition-hits.ts'

interface JudgedExchange {
  readonly exchange: Exchange
  readonly site: CompiledSite
  readonly judgement: Judgement
}

const BYTES_MAX = DEFAULT_INSPECTION_BUDGET.bodyBytesMax

/** Judges by the definition of `exchange.site`, where that is in force as a rule. */
export function judgeDefinition(exchange: Exchange): Verdict {
  const { site, request } = exchange
  const judgement = judgementOf(exchange)
  if (!site || judgement === null) return null
  if (judgement === 'unreadable') return notJudged(exchange, site)
  const judged = { exchange, site, judgement }
  const refusal = outcomeOf(judged)
  const hasBody = request.bodyBytes !== 0 && !request.websocket
  if (refusal || !hasBody) return refusal
  exchange.bodyInspection = withBody(judged, exchange.bodyInspection)
  return null
}

/** Refuses for what is violated, and otherwise for what was not judged, where the site wants that. */
function outcomeOf({ exchange, site, judgement }: JudgedExchange): Refusal | null {
  const refusal = applyViolations(exchange, site, judgement.violations)
  return refusal ?? (judgement.isUnchecked ? notJudged(exchange, site) : null)
}

function notJudged({ event }: Exchange, { config }: CompiledSite): Refusal | null {
  if (event.inspection === 'full') event.inspection = 'partial'
  const { definition, uninspected = DEFAULT_UNINSPECTED } = config.firewall
  const isRefused = definition?.mode === 'enforce' && uninspected === 'refuse'
  return isRefused ? refuse(403, 'firewall', 'not_inspected') : null
}

/** The body after what the firewall makes of it, if that looks at it. */
function withBody(judged: JudgedExchange, firewall: BodyInspection | null): BodyInspection {
  const { exchange, site } = judged
  const holds = mayRefuse(site)
  /** What the firewall says counts where it may refuse by itself. */
  const obeyed = (refusal: Refusal | null): Refusal | null => (firewall?.holds ? refusal : null)
  return {
    bytesMax: firewall?.bytesMax ?? BYTES_MAX,
    holds: holds || (firewall?.holds ?? false),
    async inspect(body, isWhole) {
      const refusal = firewall ? obeyed(await firewall.inspect(body, isWhole)) : null
      await judgeBody(judged, body, isWhole)
      const own = outcomeOf(judged)
      return refusal ?? (holds ? own : null)
    },
    async inspectRest(segment) {
      const refusal = firewall ? obeyed(await firewall.inspectRest(segment)) : null
      // What the firewall finds is written in the place of all hits.
      applyViolations(exchange, site, judged.judgement.violations)
      return refusal
    },
  }
}

async function judgeBody(
  { exchange, judgement }: JudgedExchange,
  body: Buffer,
  isWhole: boolean,
): Promise<void> {
  const headers = valuesIn(exchange.request.rawHeaders)
  const encodings = headers('content-encoding').join(',')
  const opened = isWhole ? await decompress(body, encodings, BYTES_MAX) : { bytes: body, complete: false }
  judgement.judgeBody({
    contentTypes: headers('content-type'),
    bytes: opened.complete ? opened.bytes : null,
  })
}

const valuesIn =
  (rawHeaders: readonly string[]) =>
  (wanted: string): string[] =>
    rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted)
