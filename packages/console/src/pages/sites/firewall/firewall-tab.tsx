/** Firewall of a site: how much evidence makes a hit, what a hit does, exclusions, and overrides for a rule or a path. */
import {
  DEFAULT_FIREWALL_LEVEL,
  type FirewallLevel,
  type FirewallMode,
  type FirewallSettings,
  type Site,
} from '@sallyport/contract'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useFirewallChange, useSiteFirewall } from '../../../api/queries/firewall-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { QueryState } from '../../../design/feedback/states.tsx'
import { Segments } from '../../../design/form/fields.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { ExclusionList } from '../../../parts/firewall/exclusion-list.tsx'
import { LEVEL_CHOICES, LEVEL_WORDS, MODE_CHOICES, MODE_WORDS } from '../../../parts/firewall/mode-words.ts'
import { OverrideList } from './override-list.tsx'

export function FirewallTab({ site }: { readonly site: Site }) {
  const firewall = useSiteFirewall(site.id)
  if (firewall.isPending || firewall.error) return <QueryState query={firewall} />
  return (
    <>
      <ModePanel siteId={site.id} settings={firewall.data} />
      <LevelPanel siteId={site.id} settings={firewall.data} />
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

function LevelPanel({
  siteId,
  settings: { level = DEFAULT_FIREWALL_LEVEL },
}: {
  readonly siteId: string
  readonly settings: FirewallSettings
}) {
  const may = usePermission('firewall:write')
  const notices = useNotices()
  const change = useFirewallChange(siteId)
  const choose = (chosen: FirewallLevel) =>
    notices.whenDone(
      change.mutateAsync((now) => ({ ...now, level: chosen })),
      `The firewall asks for evidence as "${LEVEL_WORDS[chosen].label}".`,
      ({ before }) =>
        change.mutateAsync((now) => ({ ...now, level: before.level ?? DEFAULT_FIREWALL_LEVEL })),
    )
  return (
    <Panel
      title="How much evidence makes a hit"
      actions={
        <Segments
          label="Firewall level"
          choices={LEVEL_CHOICES}
          value={level}
          disabled={!may || change.isPending}
          onChange={choose}
        />
      }
    >
      {LEVEL_WORDS[level].effect}
    </Panel>
  )
}
