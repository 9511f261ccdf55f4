/**
 * Requests that were made up of documents, with and without a mistake, judged by another library, too: the verdicts are the same, but for
 * differences that are meant. Of a document of our own always; of real ones where `SALLYPORT_API_DOCUMENTS` names a folder of them.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import type { ApiDefinition } from '../src/index.ts'
import { comparableDocument } from './other-validator/comparable.ts'
import { DIFFERENCES } from './other-validator/differences.ts'
import { type MadeUpRequest, makeRequest, operationsOf } from './other-validator/made-up-requests.ts'
import { createOtherVerdict } from './other-validator/other-verdict.ts'
import { createRandom } from './other-validator/random.ts'
import type { Json } from './other-validator/sample.ts'
import { WIDE_DOCUMENT } from './other-validator/wide-document.ts'
import { definitionOf } from './support.ts'

/** `SALLYPORT_REQUESTS=1000000` for the long run. */
const REQUESTS = Number(process.env.SALLYPORT_REQUESTS ?? 100_000)
const folder = process.env.SALLYPORT_API_DOCUMENTS

const read = (file: string): Json => {
  const text = readFileSync(file, 'utf8')
  return file.endsWith('.json') ? JSON.parse(text) : parse(text, { maxAliasCount: -1 })
}
const files = folder ? readdirSync(folder).filter((file) => /\.(?:json|ya?ml)$/.test(file)) : []
const documents: readonly (readonly [name: string, document: Json])[] = [
  ['our own', WIDE_DOCUMENT],
  ...files
    .map((file) => [file, read(join(folder ?? '', file))] as const)
    .filter(([, document]) => /^3\./.test(String(document.openapi))),
]

/** What we refuse a request for; empty where we do not. */
function ours(
  definition: ApiDefinition,
  { method, operation, path, query, headers, body }: MadeUpRequest,
): string | undefined {
  const decoded = operation.base + path.split('/').map(decodeURIComponent).join('/')
  const judgement = definition.judge(
    { methods: [method], path: decoded, readings: [decoded], query, rawHeaders: headers.flat() },
    { judgesUndeclared: true },
  )
  const contentTypes = headers.filter(([name]) => name === 'content-type').map(([, value]) => value)
  judgement.judgeBody({ contentTypes, bytes: Buffer.from(body ?? '') })
  if (judgement.isUnchecked) return undefined
  return judgement.violations
    .map(({ name, parameter, message }) => `${name} ${parameter} ${message}`)
    .join('; ')
}

for (const [name, given] of documents)
  test(`the verdicts of another library: ${name}`, async (context) => {
    const document = comparableDocument(given)
    const definition = definitionOf(document)
    const other = await createOtherVerdict(document)
    const { asked, leftOut } = operationsOf(document)
    const random = createRandom(22)
    const counts = new Map<string, number>()
    const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
    const unexplained: string[] = []
    for (let index = 0; index < Math.ceil(REQUESTS / documents.length); index++) {
      const request = makeRequest(document, random.pick(asked), random)
      const theirs = other.isValid(request)
      if (!theirs) {
        count('not judged by the other')
        continue
      }
      const why = ours(definition, request)
      if (why === undefined) count('not judged by us')
      else if ((why === '') === theirs.isValid) count(why === '' ? 'both take' : 'both refuse')
      else {
        const refusedBy = why === '' ? 'other' : 'us'
        const reason = refusedBy === 'us' ? why : theirs.why
        const difference = DIFFERENCES.find(
          (one) => one.refusedBy === refusedBy && one.explains(request, document, reason),
        )
        count(
          difference ? `refused by ${refusedBy}: ${difference.name}` : `unexplained, refused by ${refusedBy}`,
        )
        if (!difference)
          unexplained.push(
            `${request.method} ${request.path}?${request.query} ${JSON.stringify(request.headers)} ${request.body?.slice(0, 300)} [${request.change}] ${refusedBy}: ${reason}`,
          )
      }
    }
    context.diagnostic(JSON.stringify({ operations: asked.length, leftOut, ...Object.fromEntries(counts) }))
    assert.deepEqual(unexplained.slice(0, 10), [])
    assert.ok((counts.get('both take') ?? 0) > 0 && (counts.get('both refuse') ?? 0) > 0)
  })
