const ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|([nrt/"']))/g
const SINGLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '/': '/', '"': '"', "'": "'" }

/** Decodes the escapes of JavaScript, JSON and C-like strings: `\u0041`, `\u{41}`, `\x41`, `\101`, `\n`, `\'`. */
export function decodeEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(
    ESCAPE,
    (whole, braced?: string, unit?: string, byte?: string, octal?: string, single?: string) => {
      if (single !== undefined) return SINGLE[single] ?? whole
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
      const code = Number.parseInt(braced ?? unit ?? byte ?? '', 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}
