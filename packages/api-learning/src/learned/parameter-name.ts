/** Names for the parameters of a path, made of the word before them. */

const NAME_CHARS_MAX = 40

/** `orderId` behind `orders`. `taken` are the names of the path so far, to which this one is added. */
export function parameterName(before: string, taken: Set<string>): string {
  const words = before
    .slice(0, NAME_CHARS_MAX)
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  const stem = words
    .map((word, index) => {
      const plain = index === words.length - 1 ? singular(word) : word
      return index === 0
        ? plain.charAt(0).toLowerCase() + plain.slice(1)
        : plain.charAt(0).toUpperCase() + plain.slice(1)
    })
    .join('')
  const base = stem === '' || /^\d/.test(stem) ? 'id' : `${stem}Id`
  let name = base
  for (let count = 2; taken.has(name); count++) name = `${base}${count}`
  taken.add(name)
  return name
}

function singular(word: string): string {
  if (/ies$/i.test(word) && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|us|is)$/i.test(word)) return word
  if (/(?:ch|sh|x|z|ss)es$/i.test(word)) return word.slice(0, -2)
  return /s$/i.test(word) && word.length > 2 ? word.slice(0, -1) : word
}
