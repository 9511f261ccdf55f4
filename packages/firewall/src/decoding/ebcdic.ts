/** EBCDIC in code page 37, and 1140 that has a euro sign in it, which some servers read where a Content-Type asks for it. */

/** The characters of the code page, by byte: all of Latin-1 in another order. */
const CODE_PAGE = Buffer.from(
  '000102039c09867f978d8e0b0c0d0e0f101112139d8508871819928f1c1d1e1f80818283840a171b88898a8b8c050607909116939495960498999a9b14159e1a' +
    '20a0e2e4e0e1e3e5e7f1a22e3c282b7c26e9eaebe8edeeefecdf21242a293bac2d2fc2c4c0c1c3c5c7d1a62c255f3e3ff8c9cacbc8cdcecfcc603a2340273d22' +
    'd8616263646566676869abbbf0fdfeb1b06a6b6c6d6e6f707172aabae6b8c6a4b57e737475767778797aa1bfd0dddeae5ea3a5b7a9a7b6bcbdbe5b5dafa8b4d7' +
    '7b414243444546474849adf4f6f2f3f57d4a4b4c4d4e4f505152b9fbfcf9faff5cf7535455565758595ab2d4d6d2d3d530313233343536373839b3dbdcd9da9f',
  'hex',
)

/** Reads bytes of EBCDIC. */
export function decodeEbcdic(bytes: Uint8Array): string {
  const text = Buffer.allocUnsafe(bytes.length)
  for (const [index, byte] of bytes.entries()) text[index] = CODE_PAGE[byte] ?? 0
  return text.toString('latin1')
}
