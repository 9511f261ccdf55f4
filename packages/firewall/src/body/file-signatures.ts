/**
 * Files whose strings nobody reads as input: fonts, compiled programs, catalogues of messages. Told by the bytes that they begin with,
 * whatever their sender says of them. Pictures, archives and serialized objects are not among them: attacks are put into those.
 */

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SIGNATURE = new RegExp(
  [
    // TrueType, OpenType, WOFF.
    /\0\x01\0\0|OTTO\0|true\0|ttcf\0|wOF[F2]/,
    // ELF, Java classes, WebAssembly, Python's bytecode.
    /\x7fELF|\xca\xfe\xba\xbe|\0asm|[\s\S]{2}\r\n[\0-\x03]\0\0\0/,
    // Catalogues of gettext.
    /\xde\x12\x04\x95|\x95\x04\x12\xde/,
  ]
    .map(({ source }) => `^(?:${source})`)
    .join('|'),
)
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/** Whether data, read byte by byte, begins as such a file does. */
export const beginsAsFile = (data: string): boolean => SIGNATURE.test(data.slice(0, 16))
