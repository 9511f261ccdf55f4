/**
 * The part of the public face that is words alone: shapes, names and bounds, no schemas. A gateway imports values from
 * here, so that it need not load the schemas of an API that it does not serve (20 MiB of every gateway's memory).
 */
export * from './assertion-audience.ts'
export * from './config-feed.ts'
export * from './errors.ts'
export * from './facets.ts'
export * from './filter-values.ts'
export * from './firewall-modes.ts'
export * from './gate-host.ts'
export * from './json-web-key.ts'
export * from './limits.ts'
export * from './path-conventions.ts'
export * from './permissions.ts'
export * from './researcher-page.ts'
export * from './secret-keys.ts'
export * from './snapshot.ts'
export * from './traffic/batch.ts'
export * from './traffic/batch-lines.ts'
export * from './traffic/event.ts'
