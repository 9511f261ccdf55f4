/** Requests and engines for tests. */
import { createEngine, type Engine, type InspectionResult, type Rule } from '../../src/index.ts'
import type { TestRequest } from './corpus.ts'

/** An engine with one expression per rule id, looking at every place where parameters come from. */
export function engineOf(expressions: Readonly<Record<string, string>>, more: readonly Rule[] = []): Engine {
  const rules = Object.entries(expressions).map(([id, regex]): Rule => {
    const addresses = ['query', 'body', 'path_params', 'cookies', 'headers.no_cookies', 'body.filenames']
    const inputs = addresses.map((name) => ({ address: `server.request.${name}` }))
    const parameters = { inputs, regex, options: { case_sensitive: true } }
    return {
      id,
      name: id,
      tags: { type: 'xss', category: 'attack_attempt' },
      conditions: [{ operator: 'match_regex', parameters }],
    }
  })
  return createEngine([{ version: '2.2', rules: [...rules, ...more] }])
}

/** A GET of a target. */
export const get = (target: string, headers: Readonly<Record<string, string>> = {}): TestRequest => ({
  head: { method: 'GET', target, rawHeaders: ['Host', 'shop.example', ...Object.entries(headers).flat()] },
  body: Buffer.alloc(0),
})

/** A POST of a body. */
export const post = (
  contentType: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): TestRequest => ({
  head: {
    method: 'POST',
    target: '/submit',
    rawHeaders: ['Host', 'shop.example', 'Content-Type', contentType, ...Object.entries(headers).flat()],
  },
  body: Buffer.from(body),
})

/** `part parameter` of each hit, sorted. */
export const places = (result: InspectionResult): string[] =>
  result.hits.map((hit) => `${hit.part} ${hit.parameter}`.trim()).sort()
