/** How the origin of a site interprets paths, which headers are forwarded to it, which answers are taken, and how keys and preflights may come. */
import { Checkbox, NativeSelect, Switch } from '@mantine/core'
import {
  type ForwardingSettings,
  ORIGIN_PROTOCOLS,
  type OriginProtocol,
  type PathConvention,
  PREFLIGHT_RULES,
  type PreflightRule,
} from '@sallyport/contract'
import { usePermission } from '../../../api/queries/account-queries.ts'
import { FORWARDING_SETTINGS, useSiteSettings } from '../../../api/queries/site-settings-queries.ts'
import { QueryState } from '../../../design/feedback/states.tsx'
import { Stack } from '../../../design/form/form.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { texts } from './texts.ts'
import { useSavedChange } from './use-saved-change.ts'

const CONVENTIONS: readonly (readonly [PathConvention, label: string, example: string])[] = [
  ['frontController', texts.scriptsTakeTheRest, texts.indexPhpAdminIsAdmin],
  ['formatSuffix', texts.pathsMayEnd, texts.adminJsonIsAdmin],
  ['plusAsSpace', texts.aPlusMeansASpace, '/admin+ is /admin'],
  ['nextJs', texts.nextJsApplication, texts.nextDataAdminJson],
]

type SwitchName =
  | 'passesKnownHeadersOnly'
  | 'keepsGatedHost'
  | 'rewritesBodies'
  | 'acceptsKeyAsPassword'
  | 'takesLenientAnswers'
const SWITCHES: readonly (readonly [SwitchName, label: string, description: string])[] = [
  ['passesKnownHeadersOnly', texts.forwardKnownHeadersOnly, texts.requestHeadersThat],
  ['keepsGatedHost', texts.sendTheGatedName, texts.forOriginsThatBuild],
  ['rewritesBodies', texts.rewriteNamesInText, texts.replacesTheNames],
  ['acceptsKeyAsPassword', texts.acceptKeysAsPasswords, texts.forClientsThatCannot],
  ['takesLenientAnswers', texts.tolerateMalformedResponses, texts.forOldOriginsWhose],
]

const PREFLIGHT_WORDS: Readonly<Record<PreflightRule, string>> = {
  refuse: texts.refused,
  answer: texts.allowedByTheGate,
  forward: texts.forwardedToTheOrigin,
}

const PROTOCOL_WORDS: Readonly<Record<OriginProtocol, string>> = {
  http1: 'HTTP/1.1',
  http2: texts.http2WithoutTls,
  auto: texts.http2IfNegotiated,
}

export function ForwardingPanel({ siteId }: { readonly siteId: string }) {
  const may = usePermission('sites:write')
  const settings = useSiteSettings(siteId, FORWARDING_SETTINGS)
  const change = useSavedChange(siteId, FORWARDING_SETTINGS)
  const setConvention = (convention: PathConvention, has: boolean) =>
    change(withConvention(convention, has), () => withConvention(convention, !has))
  const setSwitch = (field: SwitchName, isOn: boolean) =>
    change(
      (now) => ({ ...now, [field]: isOn }),
      () => (now) => ({ ...now, [field]: !isOn }),
    )
  const setPreflights = (before: PreflightRule, name: string) => {
    const preflights = PREFLIGHT_RULES.find((rule) => rule === name) ?? before
    change(
      (now) => ({ ...now, preflights }),
      () => (now) => ({ ...now, preflights: before }),
    )
  }
  const setProtocol = (before: OriginProtocol, name: string) => {
    const originProtocol = ORIGIN_PROTOCOLS.find((protocol) => protocol === name) ?? before
    change(
      (now) => ({ ...now, originProtocol }),
      () => (now) => ({ ...now, originProtocol: before }),
    )
  }
  return (
    <Panel title={texts.requestHandling} description={texts.requestHandlingHint}>
      <QueryState query={settings} canRetry={false} />
      {settings.data ? (
        <Stack>
          {CONVENTIONS.map(([convention, label, example]) => (
            <Checkbox
              key={convention}
              label={label}
              description={<span className="mono">{example}</span>}
              disabled={!may}
              checked={settings.data.pathConventions.includes(convention)}
              onChange={(event) => setConvention(convention, event.currentTarget.checked)}
            />
          ))}
          {SWITCHES.map(([name, label, description]) => (
            <Switch
              key={name}
              label={label}
              description={description}
              disabled={!may}
              checked={settings.data[name]}
              onChange={(event) => setSwitch(name, event.currentTarget.checked)}
            />
          ))}
          <NativeSelect
            label={texts.corsPreflights}
            description={texts.corsPreflightsHint}
            disabled={!may}
            value={settings.data.preflights}
            onChange={(event) => setPreflights(settings.data.preflights, event.currentTarget.value)}
            data={PREFLIGHT_RULES.map((rule) => ({ value: rule, label: PREFLIGHT_WORDS[rule] }))}
          />
          <NativeSelect
            label={texts.protocolToTheOrigin}
            description={texts.grpcNeedsIt}
            disabled={!may}
            value={settings.data.originProtocol}
            onChange={(event) => setProtocol(settings.data.originProtocol, event.currentTarget.value)}
            data={ORIGIN_PROTOCOLS.map((name) => ({ value: name, label: PROTOCOL_WORDS[name] }))}
          />
        </Stack>
      ) : null}
    </Panel>
  )
}

const withConvention =
  (convention: PathConvention, has: boolean) =>
  (now: ForwardingSettings): ForwardingSettings => {
    const others = now.pathConventions.filter((one) => one !== convention)
    return { ...now, pathConventions: has ? [...others, convention] : others }
  }
