/** The public face of the control plane. */
export type { ControlSettings, OidcSettings } from './settings.ts'
