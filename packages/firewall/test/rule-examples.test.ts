/** Rules of our own pack, each with what it is for and with what ordinary requests have that looks like it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, ownRules } from '../src/index.ts'
import { inspect } from './support/corpus.ts'
import { get } from './support/requests.ts'

interface Examples {
  readonly attacks: readonly string[]
  readonly harmless: readonly string[]
}

const token = (header: string): string =>
  [header, '{"sub":"1"}', ''].map((part) => Buffer.from(part).toString('base64url')).join('.')

const EXAMPLES: Readonly<Record<string, Examples>> = {
  'sp-jwt-unsigned': {
    attacks: [token('{"alg":"none"}'), token('{ "typ": "JWT", "alg" : "NONE" }')],
    harmless: [token('{"alg":"RS256","typ":"JWT"}'), token('{"alg":"HS256","kid":"none"}')],
  },
}

for (const [id, { attacks, harmless }] of Object.entries(EXAMPLES))
  test(id, async () => {
    const engine = createEngine([ownRules()])
    const firedBy = async (text: string): Promise<boolean> => {
      const { hits } = await inspect(engine, get(`/?q=${encodeURIComponent(text)}`))
      return hits.some(({ rule }) => rule === id)
    }
    for (const text of attacks) assert.equal(await firedBy(text), true, text)
    for (const text of harmless) assert.equal(await firedBy(text), false, text)
    engine.dispose()
  })
