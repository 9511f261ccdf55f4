import type { IconName } from '../../design/icon.tsx'

/** The areas of the console, in the order of the side bar; `keys` is the chord that goes there. */
export const AREAS = [
  { to: '/', label: 'Overview', icon: 'overview', keys: 'g o' },
  { to: '/sites', label: 'Sites', icon: 'sites', keys: 'g s' },
  { to: '/traffic', label: 'Traffic', icon: 'traffic', keys: 'g t' },
  { to: '/firewall', label: 'Firewall', icon: 'firewall', keys: 'g f' },
  { to: '/researchers', label: 'Researchers', icon: 'researchers', keys: 'g r' },
  { to: '/projects', label: 'Projects', icon: 'projects', keys: 'g p' },
  { to: '/gateways', label: 'Gateways', icon: 'gateways', keys: 'g g' },
  { to: '/organization', label: 'Organization', icon: 'organization', keys: 'g n' },
] as const satisfies readonly {
  readonly to: string
  readonly label: string
  readonly icon: IconName
  readonly keys: string
}[]
