import { Button } from '@mantine/core'
import type { FirewallHit } from '@sallyport/contract'
import { attackWords } from '@sallyport/contract/words'
import { useState } from 'react'
import { usePermission } from '../../../api/queries/account-queries.ts'
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'
import { Tag } from '../../../design/table/status.tsx'
import { ExclusionDialog } from '../../../parts/firewall/exclusion-dialog.tsx'
import { scoreWords } from '../../../parts/traffic/code-words.ts'
import classes from '../traffic.module.css'

/** What the firewall matched in a request, each match with the way to an exclusion; nothing where it matched nothing. */
export function FirewallHits({ request }: { readonly request: LoggedRequest }) {
  if (request.hits.length === 0) return null
  return (
    <div className={classes.hits}>
      <h3>What the firewall saw</h3>
      {request.hits.map((hit) => (
        <Hit key={`${hit.rule} ${hit.part} ${hit.parameter}`} hit={hit} request={request} />
      ))}
    </div>
  )
}

function Hit({ hit, request }: { readonly hit: FirewallHit; readonly request: LoggedRequest }) {
  const may = usePermission('firewall:write')
  const [making, setMaking] = useState(false)
  return (
    <div className={classes.hit} data-excluded={hit.excluded}>
      <div className={classes.hitHead}>
        <strong className="mono">{hit.rule}</strong>
        <span>
          {attackWords(hit.class)}
          {hit.scorePercent > 0 ? <span className="tabular"> {scoreWords(hit.scorePercent)}</span> : null}
        </span>
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
      {hit.reason ? <div>Because of: {hit.reason}</div> : null}
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
