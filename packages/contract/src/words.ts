/**
 * The part of the public face that is words alone: shapes, names and bounds, no schemas. A gateway imports values from
 * here, so that it need not load the schemas of an API that it does not serve (20 MiB of every gateway's memory).
 */

export * from './errors.ts'
export * from './facets.ts'
export * from './filter-values.ts'
export * from './gate/assertion-audience.ts'
export * from './gate/gate-host.ts'
export * from './gate/json-web-key.ts'
export * from './gate/researcher-page.ts'
export * from './limits.ts'
export * from './permissions.ts'
export * from './rules/firewall-modes.ts'
export * from './rules/path-conventions.ts'
export * from './secret-keys.ts'
export * from './snapshot/closures.ts'
export * from './snapshot/config-feed.ts'
export * from './snapshot/lease.ts'
export * from './snapshot/snapshot.ts'
export * from './traffic/batch.ts'
export * from './traffic/batch-lines.ts'
export * from './traffic/compile.ts'
export * from './traffic/event.ts'
export type { ColumnType, FieldFilter, FieldType, FilterMatch, RecordField } from './traffic/field.ts'
export * from './traffic/fields.ts'
export * from './traffic/reasons.ts'
export * from './traffic/values.ts'
