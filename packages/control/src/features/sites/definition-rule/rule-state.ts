/** What a site's definition is as a rule: what it judges by, and what of the recorded traffic it does not list. */
import { type ApiDefinition, readTable } from '@sallyport/api-definition'
import type { DefinitionRuleState } from '@sallyport/contract'
import type { Database } from '../../../database/database.ts'
import { readSettings } from '../../../database/site-columns.ts'
import type { RequestContext } from '../../../http/context.ts'
import { readRow } from '../../../http/rows.ts'
import { findOpenApiDocuments } from '../documents/store.ts'
import { findSettings } from '../settings/store.ts'
import { NoRuleError, type RuleCompiler } from './rule-compiler.ts'

/** A method and a path of recorded requests. */
export interface RecordedPath {
  readonly method: string
  readonly path: string
  readonly requests: number
}

export interface RuleStateDeps {
  readonly database: Database
  readonly ruleCompiler: Pick<RuleCompiler, 'compile'>
  /** What reached the origin of a site since an instant, milliseconds since the epoch. */
  readonly recordedPathsOf: (orgId: string, siteId: string, from: number) => Promise<readonly RecordedPath[]>
}

const DAYS = 7
const DAY_MS = 86_400_000
const UNLISTED_MAX = 50

/** A site without a definition that was uploaded has a fault. */
export async function ruleStateOf(
  { database, ruleCompiler, recordedPathsOf }: RuleStateDeps,
  { orgId }: RequestContext,
  id: string,
): Promise<DefinitionRuleState> {
  const { mode } = readSettings(await readRow(database, orgId, id, findSettings), 'firewall').definition ?? {
    mode: 'off',
  }
  const documents = await database.read(orgId, (tx) => findOpenApiDocuments(tx, orgId, id))
  const from = Date.now() - DAYS * DAY_MS
  const since = new Date(from).toISOString()
  const none = { since, requests: 0, unlisted: 0, operations: [] }
  const faulty = (fault: string): DefinitionRuleState => ({
    mode,
    fault,
    operations: 0,
    bytes: 0,
    leftOut: [],
    preview: none,
  })
  if (documents.length === 0) return faulty('No API definition was uploaded.')
  try {
    const { table, operations, leftOut } = await ruleCompiler.compile(orgId, documents)
    const definition = readTable(table)
    const recorded = await recordedPathsOf(orgId, id, from)
    const preview = definition ? previewOf(definition, recorded) : none
    const bytes = Buffer.byteLength(table)
    return { mode, fault: '', operations, bytes, leftOut: [...leftOut], preview: { since, ...preview } }
  } catch (error) {
    if (!(error instanceof NoRuleError)) throw error
    return faulty(error.message)
  }
}

/** Of the record paths are known as most origins read them: so at least these are not listed. */
function previewOf(definition: ApiDefinition, recorded: readonly RecordedPath[]) {
  const unlisted = recorded.filter(({ method, path }) => {
    const head = { methods: [method], path, readings: [path], query: '', rawHeaders: [] }
    const { violations } = definition.judge(head, { judgesUndeclared: false })
    return violations.some(({ name }) => name === 'unlisted_operation')
  })
  const sum = (paths: readonly RecordedPath[]): number =>
    paths.reduce((total, { requests }) => total + requests, 0)
  return { requests: sum(recorded), unlisted: sum(unlisted), operations: unlisted.slice(0, UNLISTED_MAX) }
}
