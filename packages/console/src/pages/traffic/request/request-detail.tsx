import { Button } from '@mantine/core'
import { type FirewallHit, REASONS } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../../api/queries/account-queries.ts'
import { useResearcherNames } from '../../../api/queries/researcher-queries.ts'
import { useSites } from '../../../api/queries/site-queries.ts'
import type { RecordedRequest } from '../../../api/traffic/recorded-request.ts'
import { CopyButton } from '../../../design/form/copy.tsx'
import { bytesWords, wholeNumber } from '../../../design/number.ts'
import { Facts } from '../../../design/table/facts.tsx'
import { Tag } from '../../../design/table/status.tsx'
import { durationWords, useTime } from '../../../design/time/time.tsx'
import { attackWords } from '../../../parts/firewall/attack-words.ts'
import { ExclusionDialog } from '../../../parts/firewall/exclusion-dialog.tsx'
import { OutcomeMark } from '../../../parts/traffic/outcome-mark.tsx'
import classes from '../traffic.module.css'

const EVENT_WORDS = {
  request: '',
  websocket_open: 'WebSocket opened',
  websocket_close: 'WebSocket closed',
} as const
const INSPECTION_WORDS = {
  off: 'The site has no firewall.',
  skipped: 'Refused before its turn.',
  full: 'All of it.',
  partial: 'Part of it: the rest was larger than is inspected.',
} as const

/** Every field of a recorded request. */
export function RequestDetail({ request }: { readonly request: RecordedRequest }) {
  const time = useTime()
  const nameOf = useResearcherNames()
  const sites = useSites()
  const site = sites.data?.find((one) => one.id === request.siteId)
  return (
    <div className={classes.detail}>
      <div className={classes.hitHead}>
        <OutcomeMark outcome={request.outcome} />
        {request.method ? <Tag>{request.method}</Tag> : null}
        <strong className="tabular">{request.status || 'no answer'}</strong>
        <span className="soft">{EVENT_WORDS[request.kind]}</span>
      </div>
      <WhyRefused request={request} />
      {request.requestCount > 1 ? (
        <div className={classes.why}>
          <strong>{wholeNumber(request.requestCount)} requests</strong>
          <span>
            Strangers caused so many refusals that alike ones are counted together: what is missing here
            differed among them. Bytes are of all of them, times the mean of one, and the id is that of the
            first.
          </span>
        </div>
      ) : null}
      {request.target ? (
        <div>
          <div className={classes.targetHead}>
            <h3>Target, as it was sent</h3>
            <CopyButton value={request.target} />
          </div>
          <pre className={classes.target}>{request.target}</pre>
        </div>
      ) : null}
      {request.hits.length > 0 ? (
        <div className={classes.hits}>
          <h3>What the firewall saw</h3>
          {request.hits.map((hit) => (
            <Hit key={`${hit.rule} ${hit.part} ${hit.parameter}`} hit={hit} request={request} />
          ))}
        </div>
      ) : null}
      <Facts
        of={[
          ['Time', `${time.full(request.time)} (${time.zone})`],
          [
            'Researcher',
            request.researcherId ? (
              <Link
                key="researcher"
                to="/researchers/$researcherId"
                params={{ researcherId: request.researcherId }}
              >
                {nameOf(request.researcherId)}
              </Link>
            ) : (
              'A stranger: no valid key or session'
            ),
          ],
          ['By', request.credential === 'none' ? 'nothing' : `${request.credential} ${request.credentialId}`],
          ['From', request.clientAddress],
          ['Site', site?.gatedName ?? request.host],
          [
            'Path, as read',
            request.path ? (
              <span key="path" className="mono">
                {request.path}
              </span>
            ) : null,
          ],
          [
            'Route',
            request.route ? (
              <span key="route" className="mono">
                {request.route}
              </span>
            ) : null,
          ],
          ['Query names', request.queryNames.join(', ')],
          ['Tool', request.tool],
          ['User agent', request.userAgent],
          ['Took', durationWords(request.durationUs)],
          ['First byte after', request.firstByteUs > 0 ? durationWords(request.firstByteUs) : null],
          ['Received, sent', `${bytesWords(request.requestBytes)}, ${bytesWords(request.responseBytes)}`],
          [
            'Messages in, out',
            request.messagesIn + request.messagesOut > 0
              ? `${wholeNumber(request.messagesIn)}, ${wholeNumber(request.messagesOut)}`
              : null,
          ],
          [
            'Protocol',
            `HTTP/${request.httpVersion}${request.tls ? ` over ${request.tls}` : ', not encrypted'}`,
          ],
          ['Inspected', INSPECTION_WORDS[request.inspection]],
          ['Gateway', request.gatewayId],
          ['Request id', <code key="id">{request.id}</code>],
        ]}
      />
    </div>
  )
}

const isReason = (reason: string): reason is keyof typeof REASONS => Object.hasOwn(REASONS, reason)

/** The reason in words, the rule by name, and how the path was read where that decided it. */
function WhyRefused({ request }: { readonly request: RecordedRequest }) {
  if (request.reason === '') return null
  return (
    <div className={classes.why}>
      <strong>Why</strong>
      <span>{isReason(request.reason) ? REASONS[request.reason] : request.reason}</span>
      {request.rule ? (
        <span>
          Rule: <span className="mono">{request.rule}</span>{' '}
          {request.outcome === 'block' && request.siteId ? (
            <Link to="/sites/$siteId/$tab" params={{ siteId: request.siteId, tab: 'blocks' }}>
              see the block rules
            </Link>
          ) : null}
        </span>
      ) : null}
      {request.reading ? <span>The path fell under it when read as: {request.reading}.</span> : null}
    </div>
  )
}

function Hit({ hit, request }: { readonly hit: FirewallHit; readonly request: RecordedRequest }) {
  const may = useMay('firewall:write')
  const [making, setMaking] = useState(false)
  return (
    <div className={classes.hit} data-excluded={hit.excluded}>
      <div className={classes.hitHead}>
        <strong className="mono">{hit.rule}</strong>
        <span>{attackWords(hit.class)}</span>
        <Tag>{hit.severity}</Tag>
        {hit.excluded ? <Tag>excluded</Tag> : null}
      </div>
      <div className="soft">
        in {hit.part}
        {hit.parameter ? (
          <>
            , <span className="mono">{hit.parameter}</span>
          </>
        ) : null}
      </div>
      {hit.excerpt ? <pre className={classes.target}>{hit.excerpt}</pre> : null}
      {may && request.siteId && !hit.excluded ? (
        <div>
          <Button variant="default" onClick={() => setMaking(true)}>
            Make an exclusion
          </Button>
        </div>
      ) : null}
      <ExclusionDialog
        opened={making}
        siteId={request.siteId}
        from={{ requestId: request.id, hit }}
        onClose={() => setMaking(false)}
      />
    </div>
  )
}
