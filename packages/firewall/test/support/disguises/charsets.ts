/** Text in charsets that some origins read because a Content-Type says so. */

/** EBCDIC of code page 37 for the ASCII that attacks are written in, in ASCII's order from blank to tilde. */
const IBM037 = Buffer.from(
  '405a7f7b5b6c507d4d5d5c4e6b604b61f0f1f2f3f4f5f6f7f8f97a5e4c7e6e6f7cc1c2c3c4c5c6c7c8c9d1d2d3d4d5d6d7d8d9e2e3e4e5e6e7e8e9bae0bbb06d79818283848586878889919293949596979899a2a3a4a5a6a7a8a9c04fd0a1',
  'hex',
)

export const ibm037 = (text: string): Buffer =>
  Buffer.from(Array.from(text, (character) => IBM037[(character.codePointAt(0) ?? 0) - 0x20] ?? 0x25))

/** UTF-7 (RFC 2152) with everything shifted that is no letter or digit. */
export const utf7 = (text: string): string =>
  text.replace(/[^A-Za-z0-9\s]+/g, (signs) => {
    const bytes = Buffer.from(signs, 'utf16le').swap16()
    return `+${bytes.toString('base64').replace(/=+$/, '')}-`
  })

export const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

export const utf32 = (text: string): Buffer =>
  Buffer.concat(
    Array.from(text, (character) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(character.codePointAt(0) ?? 0)
      return bytes
    }),
  )
