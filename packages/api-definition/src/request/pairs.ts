/** Pairs of a query, a form or a cookie, as they were sent. */

export interface SentPair {
  readonly name: string
  readonly value: string
}

/** As forms have them; names and values are decoded once, and what cannot be is left as it is. */
export const formPairs = (text: string): SentPair[] =>
  text
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const equals = piece.indexOf('=')
      const cut = equals === -1 ? piece.length : equals
      return { name: formDecoded(piece.slice(0, cut)), value: formDecoded(piece.slice(cut + 1)) }
    })

/** Of all `Cookie` headers. */
export const cookiePairs = (headers: readonly string[]): SentPair[] =>
  headers.flatMap((header) =>
    header.split(';').flatMap((piece) => {
      const equals = piece.indexOf('=')
      if (equals === -1) return []
      const value = piece.slice(equals + 1).trim()
      return [
        { name: piece.slice(0, equals).trim(), value: percentDecoded(/^"(.*)"$/s.exec(value)?.[1] ?? value) },
      ]
    }),
  )

const formDecoded = (text: string): string =>
  percentDecoded(text.includes('+') ? text.replaceAll('+', ' ') : text)

export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * How a name is compared where it is not declared as it was sent: some origins do not tell its case apart, and drop what is before it.
 */
export const foldedName = (name: string): string => name.trim().toLowerCase()
