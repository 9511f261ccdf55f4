/** Puts the rewriting of names before the answer of an exchange, where its site wants that and the body is text. */
import type { SiteConfig } from '@sallyport/contract'
import type { Exchange } from '../../../exchange/exchange.ts'
import type { Responder } from '../../../exchange/responder.ts'
import { acquireInflater } from './inflate.ts'
import { NameRewriter } from './name-rewriter.ts'
import { codingToRewrite } from './rewritable.ts'
import { RewritingResponder } from './rewriting-responder.ts'

/** The responder by which an answer is to be written: its own, or one before it. */
export function rewritingBody(
  responder: Responder,
  status: number,
  rawHeaders: readonly string[],
  { request, event }: Exchange,
  site: SiteConfig,
): Responder {
  const coding = codingToRewrite(status, rawHeaders, site)
  if (coding === undefined || !acquireInflater(coding)) return responder
  return new RewritingResponder(responder, new NameRewriter(request, site), coding, event)
}
