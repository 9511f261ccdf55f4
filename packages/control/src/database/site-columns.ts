/**
 * The columns of `sites`, each named once. Statements, what callers see, the audit log and evidence are made from these
 * tables, so that a new column is a line here, a field of the contract, a migration and, where the wire says it in another
 * way than the column, its reading in `features/sites/site-fields.ts`.
 */
import {
  type FirewallSettings,
  type ForwardingSettings,
  firewallSettings,
  forwardingSettings,
  OPEN_END,
  type RecordSettings,
  recordSettings,
} from '@sallyport/contract'
import { columnOf, type RowOf } from './columns.ts'

interface SiteColumn<Value> {
  /** What a new site has where nothing is said. */
  readonly empty: Value
  /** By which callers and the audit log know it; none where it is only a part of another. */
  readonly field?: string
  /** Whether evidence shows it. */
  readonly inEvidence?: true
}
const column = <Value>(empty: Value, field?: string, inEvidence?: true): SiteColumn<Value> => ({
  empty,
  ...(field !== undefined && { field }),
  ...(inEvidence && { inEvidence }),
})

/** What a creation or a change of a site may set. */
export const SITE_COLUMNS = {
  origin_name: column<string>('', 'originName', true),
  origin_scheme: column<'http' | 'https'>('https'),
  origin_host: column<string>(''),
  origin_port: column<number>(443),
  gated_name: column<string>('', 'gatedName', true),
  is_enabled: column<boolean>(false, 'isEnabled', true),
  starts_at: column<string>('', 'startDate', true),
  stops_at: column<string>(OPEN_END, 'stopDate', true),
  planned_stops_at: column<string | null>(null),
  has_custom_list: column<boolean>(false, 'hasCustomList', true),
  credentials: column<string>('', 'credentials'),
  instructions: column<string>('', 'instructions', true),
  rate_limit: column<string>('', 'rateLimit', true),
  block_list: column<string>('[]', 'blockList', true),
}
export type SiteColumns = {
  readonly [Name in keyof typeof SITE_COLUMNS]: (typeof SITE_COLUMNS)[Name]['empty']
}

export const SITE_COLUMN_NAMES = Object.keys(SITE_COLUMNS) as (keyof SiteColumns)[]

/** A site of which nothing is said. */
export const EMPTY_SITE = Object.fromEntries(
  SITE_COLUMN_NAMES.map((name) => [name, SITE_COLUMNS[name].empty]),
) as unknown as SiteColumns

/** Settings that are replaced as a whole, each in a column of JSON. Evidence shows them all. */
export const SITE_SETTINGS = {
  firewall: columnOf<FirewallSettings>(),
  record_settings: columnOf<RecordSettings>(),
  forwarding_settings: columnOf<ForwardingSettings>(),
}
export type SettingsColumns = RowOf<typeof SITE_SETTINGS>

const SETTINGS_SCHEMAS = {
  firewall: firewallSettings,
  record_settings: recordSettings,
  forwarding_settings: forwardingSettings,
}

/** The settings in a column of a row. A field that is newer than what is stored has its default. */
export const readSettings = <Column extends keyof SettingsColumns>(
  row: Pick<SettingsColumns, Column>,
  column: Column,
): SettingsColumns[Column] => SETTINGS_SCHEMAS[column].parse(row[column]) as SettingsColumns[Column]
