const SHIFTED = /\+([A-Za-z0-9+/]*)-?/g

/** Reads UTF-7 (RFC 2152): text in which other characters stand as UTF-16 in base64 between `+` and `-`. */
export const decodeUtf7 = (text: string): string =>
  text.replace(SHIFTED, (_, shifted: string) => {
    if (shifted === '') return '+'
    const units = Buffer.from(shifted, 'base64')
    return units
      .subarray(0, units.length & ~1)
      .swap16()
      .toString('utf16le')
  })
