/** The public face of the gateway. */
export { isEnrolled, readCredential } from './control-plane/credential.ts'
export { enrollGateway } from './control-plane/enroll.ts'
export { type DrainOptions, type DrainResult, drainGateway } from './drain.ts'
export type { Gateway } from './gateway.ts'
export { startGateway } from './gateway.ts'
export type { GatewayLimits, GatewaySettings, JournalSettings } from './settings.ts'
export { DEFAULT_GATEWAY_LIMITS, DEFAULT_JOURNAL_SETTINGS } from './settings.ts'
export { DEFAULT_TABLES_FILE, prepareDefaultTables } from './stages/firewall/table-file.ts'
