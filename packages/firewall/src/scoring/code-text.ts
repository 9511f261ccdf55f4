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
