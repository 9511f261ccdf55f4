/** Words of the console stand beside what draws them, so that another language is another file and not another page. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { type ESTree, parseSync, Visitor } from 'vite'

const SOURCES = resolve(import.meta.dirname, '../../../packages/console/src')

/** Files that say words: the texts of a folder, tables of words by a code of ours, sentences that are made of many clauses. */
const SAYS_WORDS = /(^|\/)(texts|words|[a-z-]+-words|[a-z-]*sentence|list-difference)\.ts$/

/** What is written the same in every language: our name, those of tools, and examples of what somebody types. */
const SAME_EVERYWHERE = new Set([
  'Sallyport',
  ' · Sallyport',
  'Burp',
  '/',
  'shop.example.com',
  'rk_live_…',
  'www',
  'YYYY-MM-DD HH:MM',
])

/** Values of the API and a class of a style sheet, in properties that are called as labels are. */
const NO_WORDS: readonly string[] = [
  'parts/audit/changed-since.ts: hacker',
  'pages/sites/blocks/rule-row.tsx: visually-hidden-if-wide',
  'pages/researchers/bulk-actions.tsx: resume',
  'pages/researchers/bulk-actions.tsx: pause',
  'pages/researchers/bulk-actions.tsx: remove',
  'pages/researchers/researcher-page.tsx: remove',
]

/** Elements whose text is a key of the keyboard or code. */
const CODE_ELEMENTS = new Set(['kbd', 'code'])

/** What a reader is told: attributes of elements, and properties that become such. */
const LABELS =
  /^(label|title|description|lead|placeholder|aria-label|aria-description|aria-roledescription|alt|head|detail|action|hint|summary|message|empty|otherwise|emptyWords|heading)$/

const letters = (text: string): boolean => /\p{L}/u.test(text) && !SAME_EVERYWHERE.has(text)

type Node = ESTree.Node

/** Words that an expression gives as they are: a literal, a template, or a choice of such. */
function wordsIn(node: Node): string[] {
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' && letters(node.value) ? [node.value] : []
    case 'TemplateLiteral':
      return node.quasis.map(({ value }) => value.cooked ?? '').filter(letters)
    case 'ConditionalExpression':
      return [...wordsIn(node.consequent), ...wordsIn(node.alternate)]
    case 'LogicalExpression':
      return [...wordsIn(node.left), ...wordsIn(node.right)]
    case 'ParenthesizedExpression':
    case 'JSXExpressionContainer':
      return wordsIn(node.expression)
    default:
      return []
  }
}

/** Words of a file that a reader sees and that do not come from its texts. */
function wordsDrawn(name: string, source: string): string[] {
  const found: string[] = []
  const { program, errors } = parseSync(name, source)
  assert.deepEqual(errors, [], name)
  new Visitor({
    JSXElement: ({ openingElement, children }) => {
      const tag = openingElement.name.type === 'JSXIdentifier' ? openingElement.name.name : ''
      if (!CODE_ELEMENTS.has(tag)) found.push(...children.flatMap(wordsOfChild))
    },
    JSXFragment: ({ children }) => void found.push(...children.flatMap(wordsOfChild)),
    JSXAttribute: ({ name: attribute, value }) => {
      if (attribute.type === 'JSXIdentifier' && LABELS.test(attribute.name) && value)
        found.push(...wordsIn(value))
    },
    Property: ({ key, value }) => {
      if (key.type === 'Identifier' && LABELS.test(key.name)) found.push(...wordsIn(value))
    },
    CallExpression: ({ callee, arguments: given }) => {
      if (callee.type === 'MemberExpression' && 'name' in callee.object && callee.object.name === 'notices')
        found.push(...given.flatMap(wordsIn))
    },
  }).visit(program)
  return found
}

const wordsOfChild = (child: ESTree.JSXChild): string[] => {
  if (child.type === 'JSXText') return letters(child.value.trim()) ? [child.value.trim()] : []
  return child.type === 'JSXExpressionContainer' ? wordsIn(child) : []
}

const sources = globSync('**/*.{ts,tsx}', { cwd: SOURCES }).map((name) => ({
  name,
  source: readFileSync(join(SOURCES, name), 'utf8'),
}))

test('what a page shows comes from the texts beside it', () => {
  assert.ok(sources.length > 250)
  const drawn = sources
    .filter(({ name }) => !SAYS_WORDS.test(name))
    .flatMap(({ name, source }) => wordsDrawn(name, source).map((words) => `${name}: ${words}`))
  assert.deepEqual(new Set(drawn), new Set(NO_WORDS))
})

test('words in a page are found wherever they stand', () => {
  const drawn = wordsDrawn(
    'page.tsx',
    `const Page = () => <Panel title="One" lead={on ? 'Two' : null}>three <kbd>k</kbd>{many && \`four \${1}\`}</Panel>
     const COLUMNS = [{ head: 'Five', className: 'mono' }]
     notices.done('Six')`,
  )
  assert.deepEqual(drawn.toSorted(), ['Five', 'One', 'Six', 'Two', 'four ', 'three'])
})

test('every text is used by a file of its folder', () => {
  const texts = sources.filter(({ name }) => basename(name) === 'texts.ts')
  assert.ok(texts.length > 50)
  const unused = texts.flatMap(({ name, source }) => {
    const users = sources.filter((one) => dirname(one.name) === dirname(name) && one.name !== name)
    return [...source.matchAll(/^ {2}(\w+):/gm)]
      .map(([, key]) => key)
      .filter((key) => !users.some((one) => new RegExp(`\\btexts\\.${key}\\b`).test(one.source)))
      .map((key) => `${name}: ${key}`)
  })
  assert.deepEqual(unused, [])
})
