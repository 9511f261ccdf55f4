/** Definitions and requests for tests. */
import assert from 'node:assert/strict'
import { ApiDefinition, compileDefinition, readTable } from '@sallyport/api-definition'

export function definitionOf(document: unknown): ApiDefinition {
  const definition = readTable(compileDefinition(document).table)
  assert(definition instanceof ApiDefinition)
  return definition
}

export interface RequestParts {
  readonly headers?: readonly string[]
  readonly body?: string
  readonly judgesUndeclared?: boolean
}

/** What a request violates: name, part and parameter of each. */
export function judged(
  definition: ApiDefinition,
  method: string,
  target: string,
  parts: RequestParts = {},
): string[] {
  const { headers = [], body, judgesUndeclared = false } = parts
  const [path = '', query = ''] = target.split('?', 2)
  const judgement = definition.judge(
    { methods: [method], path, readings: [path], query, rawHeaders: headers },
    { judgesUndeclared },
  )
  if (body !== undefined) {
    const contentTypes = headers.filter((_, index) => headers[index - 1] === 'content-type')
    judgement.judgeBody({ contentTypes, bytes: Buffer.from(body) })
  }
  return judgement.violations.map(({ name, part, parameter }) => `${name} ${part} ${parameter}`)
}
