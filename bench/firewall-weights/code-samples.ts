/**
 * Code as people store it in documents: passages of files of Debian's packages and of this project's dependencies, none of them among
 * the texts that are typed into recorded applications. And attacks that stand in the middle of code, or of prose.
 */
import { readFileSync } from 'node:fs'
import { extname, relative, resolve } from 'node:path'
import type { TestRequest } from '../../packages/firewall/test/support/corpus.ts'
import { post } from '../../packages/firewall/test/support/requests.ts'
import { filesIn } from '../recordings/content/texts.ts'

const DEPENDENCIES = resolve(import.meta.dirname, '../../node_modules')

/** Folders, with the endings of files in them; one that is absent has no samples. */
const SOURCES: readonly (readonly [folder: string, ...endings: string[]])[] = [
  [DEPENDENCIES, '.js', '.ts', '.css', '.sql', '.html', '.sh', '.md', '.c', '.yml', '.tsx'],
  ['/usr/share/perl5', '.pm', '.pl'],
  ['/usr/share/php', '.php'],
  ['/usr/share/wordpress', '.php', '.js', '.css'],
  ['/usr/share/mysql', '.sql'],
  ['/usr/share/postgresql', '.sql'],
  ['/usr/share/doc', '.py', '.php', '.sh', '.sql', '.rb', '.c', '.pl', '.js'],
  ['/usr/share/vim', '.vim'],
  ['/usr/share/cmake-3.25', '.cmake'],
  ['/usr/lib/python3/dist-packages', '.py'],
  ['/usr/lib/ruby', '.rb'],
  ['/usr/lib/git-core', ''],
  ['/usr/include', '.h'],
]
const FILES_OF_ENDING_MAX = 400
const FILE_BYTES_MAX = 200_000
const PASSAGE_LINES = 40
/** No text: programs without an ending are among the scripts. */
const BINARY = /[\0\ufffd]/

export interface CodeSample {
  /** The package that the file is of. */
  readonly group: string
  readonly request: TestRequest
}

/** Passages of code, each as a string of a JSON document. */
export function* codeSamples(): Generator<CodeSample> {
  for (const [folder, ...endings] of SOURCES)
    for (const ending of endings) {
      // What tools keep in hidden folders differs from one run to the next.
      const files = filesIn(folder, ending).filter((file) => !/[\\/]node_modules[\\/]\./.test(file))
      const step = Math.max(1, Math.floor(files.length / FILES_OF_ENDING_MAX))
      for (const file of files.filter((_, index) => index % step === 0)) {
        const text = passageOf(file)
        if (text === '') continue
        const group = `${extname(file)} ${relative(folder, file).split('/')[0] ?? ''}`
        yield { group, request: post('application/json', JSON.stringify({ document: { text } })) }
      }
    }
}

function passageOf(file: string): string {
  const bytes = readFileSync(file)
  if (bytes.length > FILE_BYTES_MAX) return ''
  const lines = bytes.toString('utf8').split('\n')
  const start = Math.max(0, Math.floor((lines.length - PASSAGE_LINES) / 2))
  const text = lines.slice(start, start + PASSAGE_LINES).join('\n')
  return text.trim() === '' || BINARY.test(text) ? '' : text
}

/** By language, lines of code before an attack and behind it. */
export const CODE: Readonly<Record<string, readonly [before: string, behind: string]>> = {
  JavaScript: [
    '/** Adds what is in a basket. */\nexport function total(items) {\n  let sum = 0;\n  for (const item of items) {\n    sum += item.price * item.count;\n  }\n',
    '  return sum;\n}\n\nconst basket = [];\nbasket.push(first);\n',
  ],
  Python: [
    '# Reads a table.\nimport csv\nfrom pathlib import Path\n\ndef rows(path):\n    with Path(path).open() as file:\n        for row in csv.reader(file):\n            yield [cell.strip() for cell in row]\n',
    '\nif __name__ == "__main__":\n    for row in rows("table.csv"):\n        print(row)\n',
  ],
  PHP: [
    '<?php\n/** A list of names. */\nclass Names\n{\n    private $names = array();\n\n    public function add($name)\n    {\n',
    '        $this->names[] = trim($name);\n        return count($this->names);\n    }\n}\n',
  ],
  shell: [
    'target="$1"\nif [ ! -d "$target" ]; then\n  mkdir -p "$target"\nfi\nfor name in one two three; do\n',
    '  printf "%s\\n" "$name" > "$target/$name"\ndone\necho "written to $target"\n',
  ],
  SQL: [
    'CREATE TABLE visits (\n  id bigint PRIMARY KEY,\n  at timestamp NOT NULL,\n  page text\n);\n',
    'CREATE INDEX visits_at ON visits (at);\nSELECT page, count(*) AS visits\nFROM visits\nGROUP BY page;\n',
  ],
  Java: [
    'package example;\n\nimport java.util.List;\n\npublic final class Basket {\n  private final List<Item> items;\n\n  public int total() {\n    int sum = 0;\n',
    '    for (Item item : items) {\n      sum += item.price();\n    }\n    return sum;\n  }\n}\n',
  ],
  CSS: [
    '.basket {\n  display: flex;\n  margin: 0 auto;\n}\n',
    '.basket .item {\n  color: #333;\n  padding: 4px 8px;\n}\n',
  ],
}
const PROSE =
  'The river was high that spring, and nobody in the village remembered a year like it. We took the long way round by the mill. '

/** An attack between lines of code of a language, as a string of a JSON document. */
export function withinCode(value: string, language: string): TestRequest {
  const [before = '', behind = ''] = CODE[language] ?? []
  return post('application/json', JSON.stringify({ document: { text: `${before}${value}\n${behind}` } }))
}

/** An attack between paragraphs of prose, a kilobyte before it and one behind it. */
export const withinProse = (value: string): TestRequest =>
  post(
    'application/json',
    JSON.stringify({ document: { text: `${PROSE.repeat(8)}\n\n${value}\n\n${PROSE.repeat(8)}` } }),
  )
