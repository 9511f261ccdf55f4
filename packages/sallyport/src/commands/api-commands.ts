/** Commands that call the admin API of a running control plane: every operation of the contract, by its id. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { Client, UploadId } from '@sallyport/client'
import type { Operation, OperationId } from '@sallyport/contract'
import type { Command } from 'commander'
import { OperatorError } from '../operator-error.ts'
import { type Access, type AccessOptions, findAccess, withAccess } from './access.ts'
import { json, type ReadSettings } from './acting.ts'
import type { CallInput } from './call-input.ts'
import { type OutputOptions, print } from './print.ts'
import { withClient } from './with-client.ts'

interface CallOptions extends OutputOptions, AccessOptions {
  readonly body?: string
  readonly all?: boolean
  readonly ifMatch?: string
  readonly idempotencyKey?: string
}

/** Adds `api` and `operations`. */
export function addApiCommands(
  program: Command,
  readSettings: ReadSettings,
  environment: NodeJS.ProcessEnv,
): void {
  json(program.command('operations'))
    .description('list the operations of the admin API, with what each takes')
    .action(listOperations)
  withAccess(json(program.command('api')))
    .argument('<operation>', 'id of an operation, as `sallyport operations` lists them')
    .argument('[values...]', 'identifiers of its path, then name=text or name:=json')
    .description('call an operation of the admin API')
    .option('--body <json>', 'the whole body: JSON, @file, or - for the standard input')
    .option('--all', 'every page of a list')
    .option('--if-match <etag>', 'change only what is still of this version')
    .option('--idempotency-key <key>', 'create only once under this key')
    .action(async (id: string, values: string[], options: CallOptions) => {
      const access = await findAccess(options, readSettings, environment)
      await callOperation(id, values, options, access)
    })
}

async function listOperations(options: OutputOptions): Promise<void> {
  const [{ OPERATIONS }, { usageOf }] = await Promise.all([
    import('@sallyport/contract'),
    import('./call-input.ts'),
  ])
  const rows = OPERATIONS.map((operation) => ({
    operation: operation.id,
    summary: operation.summary,
    takes: usageOf(operation),
  }))
  print(rows, options)
}

async function callOperation(
  id: string,
  values: readonly string[],
  options: CallOptions,
  access: Access,
): Promise<void> {
  const { OPERATIONS } = await import('@sallyport/contract')
  const operation = OPERATIONS.find((one) => one.id.toLowerCase() === id.toLowerCase())
  if (!operation) throw new OperatorError(`there is no operation ${id}; sallyport operations lists them`)
  const whole = options.body === undefined ? undefined : await readBody(options.body)
  await withClient(access, (client) => call(client, operation, values, whole, options))
}

async function call(
  client: Client,
  operation: Operation,
  values: readonly string[],
  whole: string | undefined,
  options: CallOptions,
): Promise<void> {
  const { readCallInput } = await import('./call-input.ts')
  // The id was found among the operations; what it takes, the server checks.
  const id = operation.id as OperationId
  if (operation.consumes === 'document') {
    const input = readCallInput(operation, values)
    if (whole === undefined) throw new OperatorError(`${operation.id} needs a document: --body @file`)
    return client.upload(id as UploadId, input as never, whole)
  }
  if (operation.consumes === 'form')
    throw new OperatorError(`${operation.id} takes a form: use sitesSetDefinition`)
  const input = readCallInput(operation, values, whole === undefined ? undefined : parseBody(whole))
  if (operation.format === 'stream') {
    const { body } = await client.stream(id, input as never)
    if (body) await pipeline(body, process.stdout, { end: false })
    return
  }
  const { ifMatch, idempotencyKey } = options
  const given = {
    ...(ifMatch !== undefined && { ifMatch }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  }
  const answer: unknown = await client.call(id, input as never, given)
  const shown = options.all && isPage(answer) ? await readPages(client, id, input, answer) : answer
  if (typeof shown === 'object' && shown !== null)
    print(!options.json && isPage(shown) && shown.next === null ? shown.items : shown, options)
}

interface Page {
  readonly items: readonly object[]
  readonly next: string | null
}

const isPage = (answer: unknown): answer is Page =>
  typeof answer === 'object' && answer !== null && 'items' in answer && 'next' in answer

/** The first page with all that follow it. */
async function readPages(client: Client, id: OperationId, input: CallInput, first: Page): Promise<Page> {
  const items = [...first.items]
  for (let { next } = first; next !== null; ) {
    const page: unknown = await client.call(id, {
      ...input,
      query: { ...input.query, cursor: next },
    } as never)
    if (!isPage(page)) break
    items.push(...page.items)
    next = page.next
  }
  return { items, next: null }
}

async function readBody(given: string): Promise<string> {
  if (given === '-') return text(process.stdin)
  if (!given.startsWith('@')) return given
  try {
    return readFileSync(given.slice(1), 'utf8')
  } catch (error) {
    throw new OperatorError(`the body cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

function parseBody(whole: string): unknown {
  try {
    return JSON.parse(whole)
  } catch {
    throw new OperatorError('--body is not JSON')
  }
}
