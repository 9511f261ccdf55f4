/**
 * Whether a text is code as people write it: a notebook's cell, a file, an article about programs. What rules find in it says less than
 * in a value of its own, because an injection of code is code, too.
 *
 * Told by lines and not by length, so that prose around an attack is no code, however much of it there is.
 */

/** From so many lines of code on. An attack of several lines seldom has them. */
const CODE_LINES_MIN = 5
const LINE_CHARS_MAX = 400

const KEYWORDS = (
  'if|elif|for|foreach|while|switch|case|return|def|class|function|import|from|use|require|include|my|our|sub|var|let|const|' +
  'public|private|protected|static|else|elsif|end|fi|done|then|esac|echo|print|try|catch|except|finally|raise|throw|package|' +
  'namespace|local|export|begin|CREATE|ALTER|INSERT|SELECT|UPDATE|DROP|DELETE|FROM|WHERE|VALUES'
).split('|')
/** How a line of a program, a query, a style sheet or a page of markup begins: as no sentence does, or with a keyword and no words alone. */
const BEGINNING = new RegExp(
  String.raw`^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#!?[\s\w]|--\s|<\/?[a-z!?%]|[}\])]|@\w+|\.\w+\s*\{|(?:${KEYWORDS.join('|')})\b[^.!?]*(?:[^\w\s.,!?'"-]|$))`,
)
/** How it ends: in an open bracket, a semicolon, or as the argument in a list that is indented. */
const END = /[;{}([\\]\s*$|^\s{2,}\S.*[,)]\s*$|\)\s*[:{;,]\s*$/
/** An assignment, or operators that prose does not have. */
const WITHIN = /[\w)\]'"]\s*=\s*[\w"'[({$-]|=>|->|::|==|!=|&&|\|\||\+=|\w\(\)/

/** Whether a text has lines of code enough. */
export function isCode(text: string): boolean {
  let found = 0
  let start = 0
  while (start < text.length) {
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    if (end > start && end - start <= LINE_CHARS_MAX && isCodeLine(text.slice(start, end))) found++
    if (found === CODE_LINES_MIN) return true
    start = end + 1
  }
  return false
}

const isCodeLine = (line: string): boolean =>
  /\S/.test(line) && (BEGINNING.test(line) || END.test(line) || WITHIN.test(line))

/** What a file of PHP or a script begins with, and nothing else on the line. */
const OPENING = /^\s*(?:<\?php|#!\/[\w/.-]{1,40}(?: [\w-]{1,20})?)\s*$/i

/**
 * The lines of code that begin as no other line of it does, such as what somebody put into it: a quote that is open, a path, markup in a
 * program. A line that begins with a word and no quote behind it has to read as no program, too: in few lines of code no two call a function.
 */
export function strayLinesOf(code: string): string[] {
  const lines = code.split('\n').filter((line) => /\S/.test(line) && !OPENING.test(line))
  const beginnings = lines.map(beginningOf)
  const counts = new Map<string, number>()
  for (const beginning of beginnings) counts.set(beginning, (counts.get(beginning) ?? 0) + 1)
  return lines.filter((line, index) => {
    const beginning = beginnings[index] ?? ''
    return counts.get(beginning) === 1 && !(/^a[^'"]/.test(beginning) && isCodeLine(line))
  })
}

/** The first word and what follows it, or the first two signs; any letter, any digit and any character beyond ASCII stands for all. */
function beginningOf(line: string): string {
  const [, word, next = ''] = /^\s*(\$?\w+|\W)(:\/\/|[\s\S]?)/.exec(line) ?? []
  return kindOf(word?.[0] ?? '') + kindOf(next)
}

function kindOf(character: string): string {
  if (/[a-z_]/i.test(character)) return 'a'
  if (/\d/.test(character)) return '0'
  if (/\s/.test(character)) return ' '
  return character > '~' ? 'é' : character
}
