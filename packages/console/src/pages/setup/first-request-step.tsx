import { Button } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useServices } from '../../api/api.tsx'
import { useLiveTail } from '../../api/traffic/live-tail.ts'
import { CopyField, SecretOnce } from '../../design/form/copy.tsx'
import { Buttons, Stack } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { Status } from '../../design/table/status.tsx'
import { gatedUrl } from '../../parts/site/gated-url.ts'
import { OutcomeMark } from '../../parts/traffic/outcome-mark.tsx'
import type { Invited } from './researcher-step.tsx'

/** Shows the secrets once and waits for the first request to come through. After a reload, the frame of the page has the secrets. */
export function FirstRequestStep(props: { readonly site: Site; readonly invited: Invited | null }) {
  const { site, invited } = props
  const filters = useMemo(() => ({ site: [site.id] }), [site.id])
  const tail = useLiveTail(filters, true, 1)
  const first = tail.requests[0]
  return (
    <>
      {invited ? <Secrets site={site} invited={invited} /> : null}
      <Panel title="The first request">
        <Buttons role="status">
          {first ? (
            <>
              <OutcomeMark outcome={first.outcome} />
              <span className="mono">
                {first.method} {first.target}
              </span>
              <span className="tabular">{first.status}</span>
            </>
          ) : (
            <Status tone="busy">Waiting for the first request. It appears here within two seconds.</Status>
          )}
        </Buttons>
        {first ? <p>It is recorded under the researcher’s name, as every request will be.</p> : null}
        <Buttons>
          <Button
            variant={first ? 'filled' : 'default'}
            renderRoot={(props) => <Link to="/traffic" search={{ site: [site.id], live: true }} {...props} />}
          >
            View its traffic
          </Button>
          <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'blocks' }}>
            Set block rules
          </Link>
          <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'words' }}>
            Write instructions
          </Link>
        </Buttons>
      </Panel>
    </>
  )
}

function Secrets({ site, invited }: { readonly site: Site; readonly invited: Invited }) {
  const { config } = useServices()
  return (
    <Panel
      title="For the researcher"
      description={`${invited.email}. The invitation opens on the gate’s own host and can be used once.`}
    >
      <Stack>
        <SecretOnce label="Invitation, for one browser" value={invited.invitation} />
        <SecretOnce label="Key, for tools" value={invited.key} />
        <CopyField
          label="Try it"
          value={`curl -H 'Sallyport-Key: ${invited.key}' ${gatedUrl(config, site.gatedName)}`}
        />
      </Stack>
    </Panel>
  )
}
