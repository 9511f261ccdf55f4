/** The public face of the control plane. */
export { type ControlPlane, startControl } from './control.ts'
export { migrate } from './database/migrate.ts'
export { type PackVerification, verifyPack } from './features/evidence/verify-pack.ts'
export { issueFirstCredentials, type OrganizationCredentials } from './operator/credentials.ts'
export { type OpenOperator, openOperator } from './operator/open-operator.ts'
export { OperatorRefusal } from './operator/refusal.ts'
export type { ControlSettings, OidcSettings } from './settings.ts'
export { loadEmbeddedEngine } from './traffic-store/engine-package.ts'
