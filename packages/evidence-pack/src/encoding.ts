/** Bytes as text, in the alphabets of a pack. */

/** Up to the first pair that is not two hexadecimal digits, as Node's `Buffer.from(text, 'hex')` reads it. */
export function bytesOfHex(text: string): Uint8Array<ArrayBuffer> {
  const digits = /^(?:[0-9a-f]{2})*/i.exec(text)?.[0] ?? ''
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  )
}

/**
 * Bytes of base64 in the one spelling that is written for them, or null: several texts decode to the same bytes, and only
 * one of them was signed.
 */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(text)
    return btoa(binary) === text ? Uint8Array.from(binary, (letter) => letter.charCodeAt(0)) : null
  } catch {
    return null
  }
}

/** A name out of a file that anybody may have made, as one that can stand in a sentence. */
export const printable = (name: string): string => name.replace(/[^!-~]/g, '?')
