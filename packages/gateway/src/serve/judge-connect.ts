/**
 * Who may open a tunnel at the proxy port, and where to: a researcher by their key, to a site of their organization. Whether that is
 * open, and whether they may enter, is judged request by request, as on any connection.
 */
import { httpDate, responseHead } from '@sallyport/http1'
import { recognizeKey } from '../credentials/recognize.ts'
import type { ProxyServices } from '../downstream/proxy/proxy-connection.ts'
import { METHOD_CHARS_MAX } from '../downstream/read-request.ts'
import type { HeaderMeaning } from '../headers/header-block.ts'
import { PROXY_CHALLENGE } from '../pages/write-refusal.ts'
import { type ConnectRefusal, refusedConnect, type UnreadableServices } from './unreadable.ts'

const AUTHORITY = /^([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?):\d{1,5}$/i
const STATUS_TEXTS = { 400: 'Bad Request', 403: 'Forbidden', 407: 'Proxy Authentication Required' } as const

/** Makes the function that judges it, and says how a refusal is recorded. */
export const createConnectJudge =
  (services: UnreadableServices): ProxyServices['judgeConnect'] =>
  (peer, head) => {
    const host = AUTHORITY.exec(head.target)?.[1]?.toLowerCase() ?? ''
    const { proxyKey } = head.headers.meaning
    const refusal = whyRefused(host, head.headers.meaning, services)
    if (!refusal) return { kind: 'tunnel', host, key: proxyKey }
    const { status } = refusal
    const sent = { ...head, method: head.method.slice(0, METHOD_CHARS_MAX), host, bytes: 0 }
    const { requestId, record } = refusedConnect(services, peer, sent, refusal)
    const headers = [
      ...['Date', httpDate(Date.now())],
      ...['Content-Length', '0'],
      ...['Sallyport-Request-Id', requestId],
      ...['Connection', 'close'],
    ]
    if (status === 407) headers.push('Proxy-Authenticate', PROXY_CHALLENGE)
    return { kind: 'refused', answer: responseHead(status, STATUS_TEXTS[status], headers), record }
  }

/** Who is nobody learns nothing of names. The gate's own host is no site: there a key by itself would be a browser's for any page. */
function whyRefused(
  host: string,
  { proxyAuthorizations, proxyKey }: HeaderMeaning,
  { snapshots }: UnreadableServices,
): ConnectRefusal | null {
  const snapshot = snapshots.current
  if (host === '' || proxyAuthorizations > 1) return { status: 400, reason: 'malformed_request' }
  const found = proxyKey === '' ? null : recognizeKey(proxyKey, snapshot)
  if (!found) return { status: 407, reason: proxyAuthorizations > 0 ? 'unknown_credential' : 'no_credential' }
  const site = host === snapshot.gate?.host ? undefined : snapshot.siteByHost(host)
  return site?.config.orgId === found.researcher.orgId ? null : { status: 403, reason: 'unknown_host' }
}
