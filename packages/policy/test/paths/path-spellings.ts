/** Spellings of paths as someone would write them who wants to get past a rule. */

/** A small generator of random numbers that repeats itself for a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Random = () => number
const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item

const percent = (byte: number, random: Random): string => {
  const digits = byte.toString(16).padStart(2, '0')
  return `%${random() < 0.5 ? digits : digits.toUpperCase()}`
}
const utf8 = (text: string, random: Random): string =>
  [...Buffer.from(text)].map((byte) => percent(byte, random)).join('')

/** One character, spelled in some way. */
function spell(character: string, random: Random): string {
  const code = character.charCodeAt(0)
  const choice = random()
  if (choice < 0.6) return random() < 0.8 ? character : character.toUpperCase()
  if (choice < 0.75) return percent(code, random)
  if (choice < 0.85) return `%25${percent(code, random).slice(1)}`
  if (choice < 0.89) return utf8(String.fromCharCode(code + 0xfee0), random)
  if (choice < 0.93) return `%c${code >> 6}${percent(0x80 | (code & 0x3f), random)}`
  if (choice < 0.95) return `%u00${code.toString(16).padStart(2, '0')}`
  if (choice < 0.97)
    return [...percent(code, random)]
      .map((part) => (random() < 0.3 ? percent(part.charCodeAt(0), random) : part))
      .join('')
  return percent(code, random).replace('%', '%25')
}
const spelled = (text: string, random: Random): string =>
  [...text].map((character) => spell(character, random)).join('')

const SLASHES = [
  '/',
  '/',
  '/',
  '/',
  '//',
  '\\',
  '/./',
  '%2f',
  '%5c',
  '%252f',
  '/;x=1/',
  '/%2e/',
  '%c0%af',
  '%ef%bc%8f',
  '///',
  '/x/../',
  '/x%2fy/%2e%2e/',
  '/x/..;/',
  '/x/%2e%2e%2f',
  '\\x\\..\\',
  '/x//../',
  '/(S(x))/',
  '/%28A(x)F(y))/',
  ':$i30:$INDEX_ALLOCATION/',
  '::$INDEX_ALLOCATION/',
]
const ENDS = [
  '',
  '',
  '',
  '/',
  '?x=1',
  '?/../../x',
  '#x',
  '%00',
  '%00.png',
  ';x=1',
  '.',
  '%20',
  '/.',
  '%3f',
  '%23x',
  '/x',
  '/../secret',
  '/%2e%2e/secret',
  '::$DATA',
  ':$x',
]
const STARTS = [
  '',
  '',
  '',
  '',
  'http://origin.example',
  'http://origin.example?',
  'http://origin.example#x',
  '//origin.example',
  '/x/..',
  '/%2e%2e',
  '/x?/..',
  '/a/b/../..',
  '/x;y/..',
  '/x%2f..',
  '\\',
  '/.',
  '/x#/..',
  '/(S(x))',
  '/x/..:$i30:$INDEX_ALLOCATION',
]

/** A spelling of a path, or of something near it. */
export function spellPath(segments: readonly string[], random: Random): string {
  let target = pick(random, STARTS)
  for (const segment of segments)
    target += pick(random, SLASHES) + (random() < 0.5 ? segment : spelled(segment, random))
  return target + pick(random, ENDS)
}
