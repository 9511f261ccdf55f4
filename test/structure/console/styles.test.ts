/** Style sheets of the console: numbers stand in the tokens alone, and nothing says left or right. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'

const SOURCES = resolve(import.meta.dirname, '../../../packages/console/src')
const TOKENS = 'design/tokens.css'
/** Drawn to the pixel by their scripts. */
const DRAWN = ['design/timeline/timeline.module.css']

interface Sheet {
  readonly name: string
  readonly text: string
}
const sheets: readonly Sheet[] = globSync('**/*.css', { cwd: SOURCES }).map((name) => ({
  name,
  text: readFileSync(resolve(SOURCES, name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, (comment) =>
    comment.replaceAll(/[^\n]/g, ' '),
  ),
}))
const ofTokens = sheets.filter(({ name }) => name !== TOKENS)

const found = (among: readonly Sheet[], pattern: RegExp): string[] =>
  among.flatMap(({ name, text }) =>
    text
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${name}:${index + 1} ${line.trim()}`] : [])),
  )

/** CSS Logical Properties and Values, level 1: each of these has a name that follows the direction of the text. */
const PHYSICAL =
  /(?:^|[\s;{])(?:(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right)\b|(?:left|right):|text-align: (?:left|right)|float: (?:left|right))/

test('no sheet says left or right where it means start or end', () => {
  assert.ok(sheets.length > 20)
  assert.deepEqual(found(sheets, PHYSICAL), [])
})

test('colours, layers, sizes of text, radii and steps of space are tokens', () => {
  assert.deepEqual(found(ofTokens, /#[\da-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|light-dark)\(/i), [])
  assert.deepEqual(found(ofTokens, /z-index: (?!var\(--layer-|auto)/), [])
  assert.deepEqual(found(ofTokens, /font-size: (?!var\(--font-|inherit|[\d.]+em\b)/), [])
  assert.deepEqual(found(ofTokens, /border-radius:.*\d+px/), [])
  const spaced = ofTokens.filter(({ name }) => !DRAWN.includes(name))
  // Up to a pixel, and from 25 on, a length is of the thing itself.
  assert.deepEqual(found(spaced, /(?:padding|margin|gap)[a-z-]*:.*(?<![\d.])(?:[2-9]|1\d|2[0-4])px/), [])
})

test('every token that a sheet names is there', () => {
  const tokens = sheets.find(({ name }) => name === TOKENS)?.text ?? ''
  const declared = new Set([...tokens.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name))
  assert.ok(declared.size > 60)
  const missing = sheets.flatMap(({ name, text }) => {
    const own = new Set([...text.matchAll(/(--[\w-]+):/g)].map(([, token]) => token))
    return [...text.matchAll(/var\((--(?:space|font|radius|layer|motion|shadow|text|line|surface)[\w-]*)/g)]
      .map(([, token]) => token)
      .filter((token) => !declared.has(token) && !own.has(token))
      .map((token) => `${name}: ${token}`)
  })
  assert.deepEqual(missing, [])
})
