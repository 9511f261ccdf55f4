import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useResearcherNames } from '../../../api/queries/researcher-queries.ts'
import { useSites } from '../../../api/queries/site-queries.ts'
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'
import { bytesWords, wholeNumber } from '../../../design/number.ts'
import { Facts } from '../../../design/table/facts.tsx'
import { durationWords, useTime } from '../../../design/time/time.tsx'

const INSPECTION_WORDS = {
  off: 'The site has no firewall.',
  skipped: 'Not inspected: refused earlier.',
  full: 'Complete.',
  partial: 'Partial: the request was larger than the limit of inspection.',
} as const

type Fact = readonly [string, ReactNode]

/** The fields of a request that are shown as a plain list. */
export function RequestFacts({ request }: { readonly request: LoggedRequest }) {
  const time = useTime()
  const sites = useSites()
  const site = sites.data?.find((one) => one.id === request.siteId)
  const facts: readonly Fact[] = [
    ['Time', `${time.full(request.time)} (${time.zone})`],
    ['Researcher', <Researcher key="researcher" id={request.researcherId} />],
    [
      'Credential',
      request.credential === 'none' ? 'nothing' : `${request.credential} ${request.credentialId}`,
    ],
    ['Client address', request.clientAddress],
    ['Site', site?.gatedName ?? request.host],
    ['Path as read', inMono(request.path)],
    ['Route', inMono(request.route)],
    ['Query names', request.queryNames.join(', ')],
    ['Tool', request.tool],
    ['Scanner', scannerWords(request)],
    ['User agent', request.userAgent],
    ...transferFacts(request),
    ['Leads outside the gate to', inMono(request.leadsTo.join(', '))],
    ['Names rewritten', request.rewrittenNames > 0 ? wholeNumber(request.rewrittenNames) : null],
    ['Inspection', INSPECTION_WORDS[request.inspection]],
    ['Gateway', request.gatewayId],
    ['Request id', <code key="id">{request.id}</code>],
  ]
  return <Facts of={facts} />
}

const transferFacts = (request: LoggedRequest): readonly Fact[] => [
  ['Duration', durationWords(request.durationUs)],
  ['Time to first byte', request.firstByteUs > 0 ? durationWords(request.firstByteUs) : null],
  ['Request, response size', `${bytesWords(request.requestBytes)}, ${bytesWords(request.responseBytes)}`],
  [
    'Messages received, sent',
    request.messagesIn + request.messagesOut > 0
      ? `${wholeNumber(request.messagesIn)}, ${wholeNumber(request.messagesOut)}`
      : null,
  ],
  ['Protocol', `HTTP/${request.httpVersion}${request.tls ? ` over ${request.tls}` : ', not encrypted'}`],
]

/** How sure it is, and why; nothing where next to nothing points to one. */
const scannerWords = ({ scannerPercent, scannerReason }: LoggedRequest): string | null =>
  scannerPercent > 0 ? `${scannerPercent} % sure: ${scannerReason}` : null

const inMono = (text: string): ReactNode => (text ? <span className="mono">{text}</span> : null)

function Researcher({ id }: { readonly id: string }) {
  const nameOf = useResearcherNames()
  if (!id) return 'A stranger: no valid key or session'
  return (
    <Link to="/researchers/$researcherId" params={{ researcherId: id }}>
      {nameOf(id)}
    </Link>
  )
}
