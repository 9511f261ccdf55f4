/** Reads a table that was compiled before. */
import { ApiDefinition } from './api-definition.ts'
import type { DefinitionTable } from './table.ts'

/** Undefined where the text is no table of a version that is known here. */
export function readTable(text: string): ApiDefinition | undefined {
  try {
    // Only `compileDefinition` makes such texts; a later version says so.
    const table = JSON.parse(text) as DefinitionTable | null
    return table?.version === 1 ? new ApiDefinition(table) : undefined
  } catch {
    return undefined
  }
}
