/**
 * Fragments by which testers find out whether a value gets into a language: the end of a literal, half of a comparison, a separator and
 * some program. Each looks at how a value begins or at all of it, because in the middle of a text the same is prose or code.
 */

import { ADDRESSES } from '../../request/addresses.ts'
import type { Rule } from '../rule-format.ts'
import { condition, ownRule, REFLECTED, VALUES } from './own-rule.ts'

const probe = (id: string, type: string, name: string, regex: string, where = VALUES): Rule =>
  ownRule(id, type, name, [condition(where, { regex })])

const QUOTED = String.raw`(?:'[^'\n]*'|"[^"\n]*")`
/** Operators in words, between blanks. */
const COMPARED_IN_WORDS = String.raw`\s(?:r?like|regexp|glob|between)\s`
const SAME_DIGITS = Array.from('0123456789', (digit) => `${digit}=${digit}`).join('|')
const JSON_LITERAL = String.raw`'\s*(?:\{[^'\n]*\}|\[[^'\n]*\])\s*'`
/** Where a command may begin: with the value, or behind its first word and a separator. */
const COMMAND_START = String.raw`^(?:[^\s'"\\^;|&]{0,40}[;|&]\s?)?`
/** What a shell takes out of a word. */
const SPLIT = String.raw`['"\\^]{0,2}`
/** Programs that testers try first, each with something between its letters. */
const SPLIT_PROGRAMS =
  'whoami|ifconfig|wget|curl|cat|tac|ls|nc|ncat|bash|python|perl|ruby|php|uname|netstat|nslookup|ping|id|ip|time|kill'
    .split('|')
    .map((program) => SPLIT + program.split('').join(SPLIT))
    .join('|')
/** Words of SQL as a database reads them out of digits: in letters of either case, of one byte or of two. */
const IN_HEXADECIMAL = [
  ...[
    'select',
    'union',
    'insert',
    'update',
    'delete',
    'waitfor',
    'declare',
    'xp_cmdshell',
    'information_schema',
  ],
]
  .map((word) => Array.from(word, (letter) => inHexadecimal(letter)).join('(?:00)?'))
  .join('|')

function inHexadecimal(letter: string): string {
  const digits = letter.charCodeAt(0).toString(16)
  return /[a-z]/.test(letter) ? `[${digits[0]}${Number(digits[0]) - 2}]${digits[1]}` : digits
}

const SEPARATOR = String.raw`(?:;|\|\|?|&&|\x60|\$\(|\n)`

export const PROBE_RULES: readonly Rule[] = [
  probe(
    'sqli-end-of-literal',
    'sql_injection',
    'A word, a quote and the end of a statement',
    String.raw`^[^\s'"\x60;]{1,64}['"\x60]\s?\)*\s?;\s?$`,
  ),
  probe(
    'sqli-constants',
    'sql_injection',
    'A value that compares two constants',
    String.raw`^[^\w'\"]{0,3}(?:${QUOTED}\s?(?:<=>|<>|!=|=|${COMPARED_IN_WORDS})\s?['"]?(?:\d+|[^'"\s]+['"])|\d+(?:\s?<=>\s?|${COMPARED_IN_WORDS})\s?\d+|\(\d+\s?=\s?\d+\)|(?:${SAME_DIGITS}))['"]?[)\s]{0,3}(?:[*+/-]\s?\d)?\s?$`,
  ),
  probe(
    'sqli-leading-operator',
    'sql_injection',
    'A value that begins with a logical operator in signs, and compares',
    String.raw`^\s{0,4}(?:\|\||&&)\s?[!(\s]*[\w.$@]+\s?\)*\s?(?:[!=<>+*/^|&-]?=|[<>])|^\s{0,4}\|\|\s{0,4}(?:[\w.]+\s{0,4}\([^\n]*\|\|\s{0,4}['"]?\s{0,4}$|['"]?\d{1,9}\s?$)`,
  ),
  probe(
    'sqli-leading-logic',
    'sql_injection',
    'A value that begins with a quote and goes on with a logical operator',
    String.raw`^\s?['"\x60]\s+\)*\s?(?:x?or|and|\|\||&&)\s+[\w'"(@]|^\s?['"\x60]\s*\)*\s?(?:x?or|and)\s*$|^\s?x?or\s+\d{1,18}\s?[-<>=!*]?\s*$|^\W{0,4}(?:end|(?:x?or|and)\s+(?:not\s+)?(?:true|false))\s?(?:--|#)`,
  ),
  probe(
    'sqli-leading-statement',
    'sql_injection',
    'A value that begins with a semicolon and a statement',
    String.raw`^\W{0,2};\s?(?:insert\s+into|delete\s+from|update\s+\w|drop\b|alter\b|truncate\b|set\s+@\w|replace\s?(?:into|/\*|\()|exec(?:ute)?\b|select\b|create\b|declare\s+@)|^[>\s]?set\s+@\w`,
  ),
  probe(
    'sqli-json-literal',
    'sql_injection',
    'JSON as a literal of SQL, with an operator behind it',
    String.raw`${JSON_LITERAL}\s*(?:::jsonb?\s*)?(?:[<>=?@#-]|\bis\b|\blike\b)`,
    REFLECTED,
  ),
  probe(
    'sqli-broken-pattern',
    'sql_injection',
    'A word, the wildcard of a pattern, a quote, and nothing behind them but parentheses',
    String.raw`^[\w.-]{0,24}%['"][)\s]*$`,
  ),
  // As scanners begin: a value that any literal and any parenthesis breaks at.
  probe(
    'sqli-broken-syntax',
    'sql_injection',
    'A word and a heap of quotes, parentheses, commas and full stops; or a quote that is escaped between two numbers',
    String.raw`^\w{0,24}\s*(?:[(),.'"]\s*){0,10}(?:'\s*(?:[(),.]\s*){1,10}"|"\s*(?:[(),.]\s*){1,10}')\s*(?:[(),.'"]\s*){2,10}$|^\d{1,9}\\['"]\d{1,9}$`,
  ),
  probe(
    'sqli-hexadecimal-words',
    'sql_injection',
    'A literal in hexadecimal that spells a statement',
    String.raw`\b0x(?:[0-9a-f]{2})*?(?:${IN_HEXADECIMAL})`,
  ),
  probe(
    'xpath-all',
    'code_injection',
    'XPath that selects every element, alone or as a second path behind the end of a literal',
    String.raw`^\s?//\*\s?$|['"\])]\s*\|\s*//\*`,
  ),
  probe(
    'nosqli-quote-function',
    'nosql_injection',
    'A quote, an operator and a function',
    String.raw`^[^'"\n]{0,64}['"]\s?[+;,|&)]*\s?\(?\s?function\s?\(\s?\)\s?\{`,
  ),
  probe(
    'rce-option',
    'command_injection',
    'A command separator, any program, and an option',
    String.raw`^[\w.'"()-]{0,40}\s?${SEPARATOR}\s?["']?[a-z][\w.-]{1,24}["']?\s+(?:[\w,/.]{1,40}\s+){0,2}(?:-{1,2}[a-z][\w-]*(?:[\s=]|$)|\+[a-z]+\b)`,
    REFLECTED,
  ),
  probe(
    'rce-brace-word',
    'command_injection',
    'A program put together by braces',
    String.raw`^[a-z]{0,10}\{(?:[a-z]{0,10},-{1,2}[\w,-]{1,20}|[a-z]{1,10},)\}[a-z]{0,10}(?:\s|$)|^[a-z]{1,10}\{[a-z]{1,6},[a-z]{1,6}\}[a-z]{1,10}(?:\s|$)`,
  ),
  probe(
    'rce-directory-stack',
    'command_injection',
    'A value that a shell replaces by a folder, or by an earlier command',
    String.raw`^~[+-](?:\d{1,3}(?:/|$)|/)|^!-\d{1,3}(?:!-\d|$)`,
  ),
  probe(
    'rce-empty-variable',
    'command_injection',
    'The name of a program with a variable in it that is empty',
    String.raw`${COMMAND_START}\{?(?:[a-z]{1,8}\$(?:[$-][a-z]|-)[a-z]{1,8}\b|[a-z]\$[a-z]\\?[a-z]?(?:\$[a-z])?,-|[a-z]{2,12}\$[a-z]\s+-[a-z]\b|\$[a-z]\s+[a-z]{2,12}\s)`,
  ),
  ownRule(
    'rce-split-program',
    'command_injection',
    'The name of a program held apart by quotes or escapes',
    [
      condition(VALUES, {
        regex: String.raw`${COMMAND_START}[a-z\d]{0,8}(?:['"]{1,2}[a-z]{1,8}['"]{1,2}[a-z\d'"]|(?:''|""|[\\^])[a-z])`,
      }),
      condition(VALUES, {
        regex: String.raw`${COMMAND_START}(?:${SPLIT_PROGRAMS})(?:${SPLIT}\s+(?:['"]{0,2}-|[~$"'/]|a\b|localhost|https?:|sh\b|curl\b|who|[\d.]{2,})|\s*[|&]|\s*$)`,
      }),
    ],
    { sameValue: true },
  ),
  probe(
    'xss-tagged-call',
    'xss',
    'A function called by a template literal',
    String.raw`\]\s*\.\s*(?:/\*[^*]{0,20}\*/\s*)?(?:sort|map|filter|find|every|some|reduce|foreach|flatmap|concat)\s*\.\s*(?:call|apply|bind)\s*\x60|\x60\s*\$\{\s*(?:alert|eval|prompt|confirm|function|settimeout|import)\s*\}`,
    REFLECTED,
  ),
  probe(
    'xss-dom-change',
    'xss',
    'Script that adds to the page',
    String.raw`\bdocument\s*\.\s*(?:body|head|queryselector\s*\([^)]{1,40}\)|getelementbyid\s*\([^)]{1,40}\))\s*\.\s*(?:textcontent|innertext|append(?:child)?|prepend|replacewith)\b\s*[=(]`,
    REFLECTED.filter((input) => input.address !== ADDRESSES.path),
  ),
  probe(
    'node-begin',
    'js_code_injection',
    'A value that makes a function of text, or reaches into objects of the server by a name',
    String.raw`^\W{0,2}new\s+function\s?\(|^\W{0,2}(?:process|require|module|global)\s?\[\s?\w`,
  ),
]
