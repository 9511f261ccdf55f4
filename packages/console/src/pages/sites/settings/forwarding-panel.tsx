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
import { useSavedChange } from './use-saved-change.ts'

const CONVENTIONS: readonly (readonly [PathConvention, label: string, example: string])[] = [
  ['frontController', 'Scripts take the rest of the path', '/index.php/admin is /admin'],
  ['formatSuffix', 'Paths may end in a format suffix', '/admin.json is /admin'],
  ['plusAsSpace', 'A plus means a space', '/admin+ is /admin'],
  ['nextJs', 'Next.js application', '/_next/data/…/admin.json is /admin'],
]

type SwitchName =
  | 'passesKnownHeadersOnly'
  | 'keepsGatedHost'
  | 'rewritesBodies'
  | 'acceptsKeyAsPassword'
  | 'takesLenientAnswers'
const SWITCHES: readonly (readonly [SwitchName, label: string, description: string])[] = [
  [
    'passesKnownHeadersOnly',
    'Forward known headers only',
    'Request headers that the gate does not know are removed.',
  ],
  ['keepsGatedHost', 'Send the gated name as Host', 'For origins that build links from the Host header.'],
  [
    'rewritesBodies',
    'Rewrite names in text',
    'Replaces the names of this origin and of its group by gated names in pages, style sheets, scripts and JSON.',
  ],
  [
    'acceptsKeyAsPassword',
    'Accept keys as passwords',
    'For clients that cannot send a custom header, such as npm, git or docker: the key is the HTTP Basic password.',
  ],
  [
    'takesLenientAnswers',
    'Tolerate malformed responses',
    'For old origins whose responses have bare line feeds, folded headers or no head, as browsers do.',
  ],
]

const PREFLIGHT_WORDS: Readonly<Record<PreflightRule, string>> = {
  refuse: 'Refused',
  answer: 'Allowed by the gate',
  forward: 'Forwarded to the origin, without a credential',
}

const PROTOCOL_WORDS: Readonly<Record<OriginProtocol, string>> = {
  http1: 'HTTP/1.1',
  http2: 'HTTP/2, without TLS too (h2c)',
  auto: 'HTTP/2 if negotiated by TLS, otherwise HTTP/1.1',
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
    <Panel
      title="Request handling"
      description="Say how the origin reads paths, so that block rules apply to those readings too."
    >
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
            label="CORS preflights"
            description="Browsers send these without credentials before pages of your other sites may call this one."
            disabled={!may}
            value={settings.data.preflights}
            onChange={(event) => setPreflights(settings.data.preflights, event.currentTarget.value)}
            data={PREFLIGHT_RULES.map((rule) => ({ value: rule, label: PREFLIGHT_WORDS[rule] }))}
          />
          <NativeSelect
            label="Protocol to the origin"
            description="gRPC needs HTTP/2."
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
