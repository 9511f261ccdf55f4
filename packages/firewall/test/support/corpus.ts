/** Requests of the regression corpus, as the gateway would see them. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Engine, InspectedHead, InspectionResult } from '../../src/index.ts'

/** A test of the corpus. Families 930 to 944 with something in `expect` are attacks, the others near misses. */
export interface CorpusCase {
  readonly rule: number
  readonly test: number
  readonly family: string
  readonly desc?: string
  readonly method: string
  readonly uri: string
  readonly headers: Readonly<Record<string, string>>
  readonly data?: string
  readonly encodedRequest?: string
  readonly expect: readonly number[]
  readonly expectNot: readonly number[]
}

const folder = process.env.SALLYPORT_CORPORA ?? resolve(import.meta.dirname, '../../../../../shared/corpora')
const file = join(folder, 'crs-regression.ndjson')

/** Why the corpus cannot be used, or undefined where it can. */
export const corpusMissing = existsSync(file) ? undefined : `no corpus at ${file}; set SALLYPORT_CORPORA`

/** The cases of attack families 930 to 944. */
export const attackFamilyCases = (): CorpusCase[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): CorpusCase => JSON.parse(line))
    .filter(({ family }) => /^REQUEST-9(?:3\d|4[0-4])/.test(family))

/** A request as bytes of its parts. */
export interface TestRequest {
  readonly head: InspectedHead
  readonly body: Buffer
}

/** A corpus case as a request. */
export function requestOf(test: CorpusCase): TestRequest {
  if (test.encodedRequest !== undefined) return parseRaw(Buffer.from(test.encodedRequest, 'base64'))
  const rawHeaders = Object.entries(test.headers).flat()
  return {
    head: { method: test.method, target: test.uri, rawHeaders },
    body: Buffer.from(test.data ?? '', 'utf8'),
  }
}

function parseRaw(bytes: Buffer): TestRequest {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const [method = '', target = ''] = first.split(' ')
  const rawHeaders = lines.flatMap((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  return { head: { method, target, rawHeaders }, body: bytes.subarray(end + 4) }
}

/** Inspects head and body with time to spare, so that a busy machine does not change what is found. */
export async function inspect(engine: Engine, request: TestRequest): Promise<InspectionResult> {
  const inspection = engine.inspect(request.head, { timeMs: 5_000, bodyBytesMax: 192 * 1024 })
  await inspection.inspectBody({ bytes: request.body, complete: true })
  return inspection.result()
}
