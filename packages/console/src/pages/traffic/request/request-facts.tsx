import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useResearcherNames } from '../../../api/queries/researcher-queries.ts'
import { useSites } from '../../../api/queries/site-queries.ts'
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'
import { Facts } from '../../../design/table/facts.tsx'
import { durationWords } from '../../../design/time/duration.ts'
import { useTime } from '../../../design/time/time.tsx'
import { bytesWords, wholeNumber } from '../../../language/number.ts'
import { texts } from './texts.ts'

const INSPECTION_WORDS = {
  off: texts.theSiteHasNoFirewall,
  skipped: texts.notInspectedRefusedEarlier,
  full: texts.complete,
  partial: texts.partialTheRequest,
} as const

type Fact = readonly [string, ReactNode]

/** The fields of a request that are shown as a plain list. */
export function RequestFacts({ request }: { readonly request: LoggedRequest }) {
  const time = useTime()
  const sites = useSites()
  const site = sites.data?.find((one) => one.id === request.siteId)
  const facts: readonly Fact[] = [
    [texts.time, `${time.full(request.time)} (${time.zone})`],
    [texts.researcher, <Researcher key="researcher" id={request.researcherId} />],
    [
      texts.credential,
      request.credential === 'none' ? 'nothing' : `${request.credential} ${request.credentialId}`,
    ],
    [texts.clientAddress, request.clientAddress],
    [texts.site, site?.gatedName ?? request.host],
    [texts.pathAsRead, inMono(request.path)],
    [texts.route, inMono(request.route)],
    [texts.queryNames, request.queryNames.join(', ')],
    [texts.tool, request.tool],
    [texts.scanner, scannerWords(request)],
    [texts.userAgent, request.userAgent],
    ...transferFacts(request),
    [texts.leadsOutsideTheGate, inMono(request.leadsTo.join(', '))],
    [texts.namesRewritten, request.rewrittenNames > 0 ? wholeNumber(request.rewrittenNames) : null],
    [texts.inspection, INSPECTION_WORDS[request.inspection]],
    [texts.gateway, request.gatewayId],
    [texts.requestId, <code key="id">{request.id}</code>],
  ]
  return <Facts of={facts} />
}

const transferFacts = (request: LoggedRequest): readonly Fact[] => [
  [texts.duration, durationWords(request.durationUs)],
  [texts.timeToFirstByte, request.firstByteUs > 0 ? durationWords(request.firstByteUs) : null],
  [texts.requestResponseSize, `${bytesWords(request.requestBytes)}, ${bytesWords(request.responseBytes)}`],
  [
    texts.messagesReceivedSent,
    request.messagesIn + request.messagesOut > 0
      ? `${wholeNumber(request.messagesIn)}, ${wholeNumber(request.messagesOut)}`
      : null,
  ],
  [
    texts.protocol,
    `HTTP/${request.httpVersion}${request.tls ? texts.over(request.tls) : texts.notEncrypted}`,
  ],
]

/** How sure it is, and why; nothing where next to nothing points to one. */
const scannerWords = ({ scannerPercent, scannerReason }: LoggedRequest): string | null =>
  scannerPercent > 0 ? texts.sure(scannerPercent, scannerReason) : null

const inMono = (text: string): ReactNode => (text ? <span className="mono">{text}</span> : null)

function Researcher({ id }: { readonly id: string }) {
  const nameOf = useResearcherNames()
  if (!id) return texts.aStrangerNoValid
  return (
    <Link to="/researchers/$researcherId" params={{ researcherId: id }}>
      {nameOf(id)}
    </Link>
  )
}
