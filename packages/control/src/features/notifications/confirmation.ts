/** The code by which somebody shows that they read the mail of an address. */
import { createHash, randomInt } from 'node:crypto'

/** Wrong codes that a destination forgives. */
export const CODE_ATTEMPTS_MAX = 10

/** Letters and digits that nobody takes for one another: 31 to the 8th is 8.5e11. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const CODE_CHARS = 8

/** `K7QP-2M9X` */
export function makeCode(): string {
  const code = Array.from({ length: CODE_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${code.slice(0, CODE_CHARS / 2)}-${code.slice(CODE_CHARS / 2)}`
}

/** The case and the hyphen of a code do not count. SHA-256, in hex. */
export const hashCode = (code: string): string =>
  createHash('sha256')
    .update(code.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''))
    .digest('hex')
