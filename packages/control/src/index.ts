/** The public face of the control plane. */
export { type ControlPlane, startControl } from './control.ts'
export { migrate } from './database/migrate.ts'
export type { ControlSettings, OidcSettings } from './settings.ts'
