/** Firewall of a site: what a match does, exclusions, and overrides for a rule or a path. */
import type { FirewallMode, FirewallSettings, Site } from '@sallyport/contract'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useFirewallChange, useSiteFirewall } from '../../../api/queries/firewall-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { QueryState } from '../../../design/feedback/states.tsx'
import { Segments } from '../../../design/form/fields.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { ExclusionList } from '../../../parts/firewall/exclusion-list.tsx'
import { MODE_CHOICES, MODE_WORDS } from '../../../parts/firewall/mode-words.ts'
import { OverrideList } from './override-list.tsx'

export function FirewallTab({ site }: { readonly site: Site }) {
  const firewall = useSiteFirewall(site.id)
  if (firewall.isPending || firewall.error) return <QueryState query={firewall} />
  return (
    <>
      <ModePanel siteId={site.id} settings={firewall.data} />
      <ExclusionList siteId={site.id} exclusions={firewall.data.exclusions} />
      <OverrideList siteId={site.id} overrides={firewall.data.overrides} />
    </>
  )
}

function ModePanel({ siteId, settings }: { readonly siteId: string; readonly settings: FirewallSettings }) {
  const may = usePermission('firewall:write')
  const notices = useNotices()
  const change = useFirewallChange(siteId)
  const choose = (mode: FirewallMode) =>
    notices.whenDone(
      change.mutateAsync((now) => ({ ...now, mode })),
      `The firewall is set to "${MODE_WORDS[mode].label}".`,
      ({ before }) => change.mutateAsync((now) => ({ ...now, mode: before.mode })),
    )
  return (
    <Panel
      title="When a rule matches"
      actions={
        <Segments
          label="Firewall mode"
          choices={MODE_CHOICES}
          value={settings.mode}
          disabled={!may || change.isPending}
          onChange={choose}
        />
      }
    >
      {MODE_WORDS[settings.mode].effect}
    </Panel>
  )
}
