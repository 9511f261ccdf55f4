/** The public face of the control plane. */
export { migrate } from './database/migrate.ts'
export type { ControlSettings, OidcSettings } from './settings.ts'
