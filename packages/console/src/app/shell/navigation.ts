import type { IconName } from '../../design/icon.tsx'
import { texts } from './texts.ts'

/** The areas of the console, in the order of the side bar; `keys` is the chord that goes there. */
export const AREAS = [
  { to: '/', label: texts.overview, icon: 'overview', keys: 'g o' },
  { to: '/sites', label: texts.sites, icon: 'sites', keys: 'g s' },
  { to: '/traffic', label: texts.traffic, icon: 'traffic', keys: 'g t' },
  { to: '/firewall', label: texts.firewall, icon: 'firewall', keys: 'g f' },
  { to: '/researchers', label: texts.researchers, icon: 'researchers', keys: 'g r' },
  { to: '/projects', label: texts.projects, icon: 'projects', keys: 'g p' },
  { to: '/gateways', label: texts.gateways, icon: 'gateways', keys: 'g g' },
  { to: '/organization', label: texts.organization, icon: 'organization', keys: 'g n' },
] as const satisfies readonly {
  readonly to: string
  readonly label: string
  readonly icon: IconName
  readonly keys: string
}[]
