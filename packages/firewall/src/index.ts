export { decompress } from './body/decompression.ts'
export type { ReceivedBody } from './body-inspection.ts'
/** The public face of the firewall: rule sets in, an engine out. */
export {
  type CrsImport,
  type CrsImportOptions,
  type CrsReportLine,
  importCrs,
  NoCrsRulesError,
} from './crs/import-crs.ts'
export * from './engine.ts'
export { excerptOf } from './excerpt.ts'
export {
  DEFAULT_INSPECTION_BUDGET,
  type InspectionBudget,
  type InspectionResult,
  type RequestInspection,
} from './inspection.ts'
export type { TableStore } from './preparation/prepare-tables.ts'
export type { InspectedHead } from './request/head-values.ts'
export { maintainedRules } from './rules/maintained-rules.ts'
export { ownRules } from './rules/own-rules.ts'
export { InvalidRuleSetError, parseRuleSet, type Rule, type RuleSet } from './rules/rule-format.ts'
export type { MistypedValue } from './scoring/declared-type.ts'
export type { AttackHit, EvidenceSet, PlacedRule, Standing } from './scoring/evidence.ts'
export { signNamesOf } from './scoring/signs.ts'
export { NO_WEIGHTS, type Weights } from './scoring/weights.ts'
