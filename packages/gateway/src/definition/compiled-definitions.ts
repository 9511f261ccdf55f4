/** API definitions that are rules, each read from its table once and kept however often its site changes. */
import { type ApiDefinition, readTable } from '@sallyport/api-definition'
import type { DefinitionRuleConfig } from '@sallyport/contract'
import { BoundedCache, perObject } from '@sallyport/toolbox'

/** Tables that are kept read; those in use stay. */
const TABLES_MAX = 256

const known = new BoundedCache<string, { readonly definition: ApiDefinition | undefined }>(TABLES_MAX)

/** Undefined where the table is of a later version. */
export const definitionOf = perObject(
  ({ id, table }: DefinitionRuleConfig) => known.get(id) ?? known.set(id, { definition: readTable(table) }),
)
