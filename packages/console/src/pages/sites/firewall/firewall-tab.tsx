/** Firewall of a site: how much evidence makes a hit, what a hit does, exclusions, and overrides for a rule or a path. */
import {
  DEFAULT_FIREWALL_LEVEL,
  DEFAULT_UNINSPECTED,
  type FirewallSettings,
  type Site,
} from '@sallyport/contract'
import { revertField } from '../../../api/concurrent-edits.ts'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { useFirewallChange, useSiteFirewall } from '../../../api/queries/firewall-queries.ts'
import { useNotices } from '../../../design/feedback/notices.tsx'
import { QueryState } from '../../../design/feedback/states.tsx'
import { Segments } from '../../../design/form/fields.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { ExclusionList } from '../../../parts/firewall/exclusion-list.tsx'
import {
  LEVEL_CHOICES,
  LEVEL_WORDS,
  MODE_CHOICES,
  MODE_WORDS,
  UNINSPECTED_FIELD,
  UNINSPECTED_WORDS,
} from '../../../parts/firewall/mode-words.ts'
import { useAskFirst } from '../../../parts/preview/ask-first.tsx'
import { DefinitionRulePanel } from './definition-rule-panel.tsx'
import { OverrideList } from './override-list.tsx'
import { texts } from './texts.ts'

export function FirewallTab({ site }: { readonly site: Site }) {
  const firewall = useSiteFirewall(site.id)
  if (firewall.isPending || firewall.error) return <QueryState query={firewall} />
  return (
    <>
      <ChoicePanel
        site={site}
        settings={firewall.data}
        field="mode"
        read={({ mode }) => mode}
        title={texts.firewallMode}
        words={MODE_WORDS}
        choices={MODE_CHOICES}
        notice={(label) => texts.theFirewallIsSet(label)}
      />
      <ChoicePanel
        site={site}
        settings={firewall.data}
        field="level"
        read={({ level = DEFAULT_FIREWALL_LEVEL }) => level}
        title={texts.sensitivity}
        words={LEVEL_WORDS}
        choices={LEVEL_CHOICES}
        notice={(label) => texts.theSensitivityIsSet(label)}
      />
      <ChoicePanel
        site={site}
        settings={firewall.data}
        field="uninspected"
        read={({ uninspected = DEFAULT_UNINSPECTED }) => uninspected}
        title={texts.requestsThatCould}
        words={UNINSPECTED_WORDS}
        choices={UNINSPECTED_FIELD}
        notice={(label) => texts.requestsThatCouldNotBeInspected(label)}
      />
      <DefinitionRulePanel siteId={site.id} settings={firewall.data} />
      <ExclusionList siteId={site.id} exclusions={firewall.data.exclusions} />
      <OverrideList siteId={site.id} overrides={firewall.data.overrides} />
    </>
  )
}

interface ChoicePanelProps<Choice extends string> {
  readonly site: Site
  readonly settings: FirewallSettings
  /** The field of the settings that is chosen. */
  readonly field: 'mode' | 'level' | 'uninspected'
  /** What it is, also where the settings do not say it. */
  readonly read: (settings: FirewallSettings) => Choice
  readonly title: string
  readonly words: Readonly<Record<Choice, { readonly label: string; readonly effect: string }>>
  readonly choices: readonly { readonly value: Choice; readonly label: string }[]
  /** Says what was chosen, by its label. */
  readonly notice: (label: string) => string
}

function ChoicePanel<Choice extends string>(props: ChoicePanelProps<Choice>) {
  const { site, settings, field, read, title, words, choices, notice } = props
  const may = usePermission('firewall:write')
  const notices = useNotices()
  const change = useFirewallChange(site.id)
  const { ask, dialog } = useAskFirst()
  const make = (chosen: Choice) =>
    notices.whenDone(
      change.mutateAsync((now) => ({ ...now, [field]: chosen })),
      notice(words[chosen].label),
      (made) => change.mutateAsync(revertField(made, field)),
    )
  const choose = (chosen: Choice) => {
    const after = { ...settings, [field]: chosen }
    if (!mayRefuse(after)) return make(chosen)
    const { mode, level, uninspected } = after
    ask({
      change: {
        kind: 'firewall',
        siteId: site.id,
        mode,
        ...(level && { level }),
        ...(uninspected && { uninspected }),
      },
      title: texts.setTo(words[chosen].label),
      action: words[chosen].label,
      words: words[chosen].effect,
      make: () => make(chosen),
    })
  }
  return (
    <Panel
      title={title}
      actions={
        <Segments
          label={texts.firewall(field)}
          choices={choices}
          value={read(settings)}
          disabled={!may}
          onChange={choose}
        />
      }
    >
      {words[read(settings)].effect}
      {dialog}
    </Panel>
  )
}

/** Whether a firewall with these settings refuses anything. */
const mayRefuse = ({ mode, overrides }: FirewallSettings): boolean =>
  mode === 'enforce' || overrides.some((override) => override.mode === 'enforce')
