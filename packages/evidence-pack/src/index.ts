export {
  CHAIN_START,
  type ChainLink,
  type ChainPosition,
  chainFault,
} from './audit-chain.ts'
export type { PackCheck, PackCheckName } from './pack-findings.ts'
export {
  type AuditLine,
  FILES_OF_FORMAT,
  fileHeader,
  MANIFEST_FILE,
  NO_HASH,
  PACK_FORMAT,
  type PackManifest,
  PROJECT_PACK_FORMAT,
  SIGNATURE_FILE,
  type TrafficLine,
} from './pack-format.ts'
export { type Sha256, type StartSha256, sha256Of } from './sha256.ts'
export { fingerprintOf } from './signature.ts'
export { type PackVerification, type PackVerificationOptions, verifyPack } from './verify-pack.ts'
