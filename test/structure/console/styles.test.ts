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

/** Relative luminance of WCAG 2.2, of a colour in six hexadecimal digits. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((left, right) => right - left)
  return (light + 0.05) / (dark + 0.05)
}

test('colours of attacks differ enough from all that they may lie on, in the light and in the dark', () => {
  const tokens = sheets.find(({ name }) => name === TOKENS)?.text ?? ''
  const pairs = new Map(
    [...tokens.matchAll(/(--[\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\)/g)].map(
      ([, name = '', light = '', dark = '']) => [name, [light, dark] as const],
    ),
  )
  const grounds = ['--ground', '--surface', '--surface-raised', '--surface-hover', '--surface-selected']
  const attacks = [...pairs.keys()].filter((name) => name.startsWith('--attack-'))
  assert.ok(attacks.length > 10)
  const poor = attacks.flatMap((attack) =>
    grounds.flatMap((ground) =>
      [0, 1].flatMap((scheme) => {
        const [colour, under] = [pairs.get(attack)?.[scheme], pairs.get(ground)?.[scheme]]
        assert.ok(colour && under, `${attack} on ${ground}`)
        const ratio = contrast(colour, under)
        return ratio < 3 ? [`${attack} on ${ground}: ${ratio.toFixed(2)}`] : []
      }),
    ),
  )
  assert.deepEqual(poor, [])
})

test('each class of attack has a colour that is there', () => {
  const tokens = sheets.find(({ name }) => name === TOKENS)?.text ?? ''
  const declared = new Set([...tokens.matchAll(/--attack-([\w-]+):/g)].map(([, family]) => family))
  const table = readFileSync(resolve(SOURCES, 'parts/attack/attack-colours.ts'), 'utf8')
  const used = new Set([...table.matchAll(/^ {2}\w+: '([\w-]+)',$/gm)].map(([, family]) => family))
  assert.deepEqual(used, new Set([...declared].filter((family) => family !== 'other')))
})
