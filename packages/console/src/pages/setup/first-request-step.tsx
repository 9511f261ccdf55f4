import { Button } from '@mantine/core'
import type { Site } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useServices } from '../../api/api.tsx'
import { secretLabels } from '../../api/once-words.ts'
import { useLiveTail } from '../../api/traffic/live-tail.ts'
import { CopyField, SecretOnce } from '../../design/form/copy.tsx'
import { Buttons, Stack } from '../../design/form/form.tsx'
import { Panel } from '../../design/page/panel.tsx'
import { Status } from '../../design/table/status.tsx'
import { gatedUrl } from '../../parts/site/gated-url.ts'
import { OutcomeMark } from '../../parts/traffic/outcome-mark.tsx'
import type { Invited } from './researcher-step.tsx'
import { texts } from './texts.ts'

/** Shows the secrets once and waits for the first request to come through. After a reload, the frame of the page has the secrets. */
export function FirstRequestStep(props: { readonly site: Site; readonly invited: Invited | null }) {
  const { site, invited } = props
  const filters = useMemo(() => ({ site: [site.id] }), [site.id])
  const tail = useLiveTail(filters, true, 1)
  const first = tail.requests[0]
  return (
    <>
      {invited ? <Secrets site={site} invited={invited} /> : null}
      <Panel title={texts.theFirstRequest}>
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
            <Status tone="busy">{texts.waitingForTheFirst}</Status>
          )}
        </Buttons>
        {first ? <p>{texts.itIsRecordedUnder}</p> : null}
        <Buttons>
          <Button
            variant={first ? 'filled' : 'default'}
            renderRoot={(props) => <Link to="/traffic" search={{ site: [site.id], live: true }} {...props} />}
          >
            {texts.viewItsTraffic}
          </Button>
          <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'blocks' }}>
            {texts.setBlockRules}
          </Link>
          <Link to="/sites/$siteId/$tab" params={{ siteId: site.id, tab: 'words' }}>
            {texts.writeInstructions}
          </Link>
        </Buttons>
      </Panel>
    </>
  )
}

function Secrets({ site, invited }: { readonly site: Site; readonly invited: Invited }) {
  const { config } = useServices()
  return (
    <Panel title={texts.forTheResearcher} description={texts.forTheResearcherHint(invited.email)}>
      <Stack>
        <SecretOnce label={secretLabels.invitation} value={invited.invitation} />
        <SecretOnce label={secretLabels.keyForTools} value={invited.key} />
        <CopyField
          label={texts.tryIt}
          value={`curl -H 'Sallyport-Key: ${invited.key}' ${gatedUrl(config, site.gatedName)}`}
        />
      </Stack>
    </Panel>
  )
}
