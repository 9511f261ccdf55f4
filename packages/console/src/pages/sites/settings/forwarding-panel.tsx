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
  ['frontController', 'Scripts take the rest of a path', '/index.php/admin is /admin'],
  ['formatSuffix', 'Paths may end in a format', '/admin.json is /admin'],
  ['plusAsSpace', 'A plus is a space', '/admin+ is /admin'],
  ['nextJs', 'It is a Next.js application', '/_next/data/…/admin.json is /admin'],
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
    'Request headers that are not on the list of the gate are taken out.',
  ],
  [
    'keepsGatedHost',
    'Keep the gated Host',
    'The origin is told the gated name as Host, for one that makes its addresses from it.',
  ],
  [
    'rewritesBodies',
    'Rewrite names in text',
    'Where pages, style sheets, scripts and JSON name this origin, or one of its group, the gated name takes its place.',
  ],
  [
    'acceptsKeyAsPassword',
    'Take keys as passwords',
    'For clients that cannot send a header, such as npm, git or docker: the key as the password of HTTP Basic.',
  ],
  [
    'takesLenientAnswers',
    'Take answers as browsers do',
    'For an old origin whose answers have bare line feeds, folded headers or no head: they are framed anew.',
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
  auto: 'HTTP/2 where TLS settles it, otherwise HTTP/1.1',
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
      title="What the origin makes of requests"
      description="Choose what is true of it: block rules then hold for paths as it reads them, too."
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
            description="What browsers ask, without a credential, before pages of your other sites send requests here."
            disabled={!may}
            value={settings.data.preflights}
            onChange={(event) => setPreflights(settings.data.preflights, event.currentTarget.value)}
            data={PREFLIGHT_RULES.map((rule) => ({ value: rule, label: PREFLIGHT_WORDS[rule] }))}
          />
          <NativeSelect
            label="Protocol of the origin"
            description="What the gate speaks with it; gRPC needs HTTP/2."
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
