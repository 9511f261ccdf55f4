/** The Content-Transfer-Encoding of a part (RFC 2045), which most who read forms ignore and some undo. */

export interface TransferDecoded {
  /** What the part says where the encoding is undone; undefined where that is what it says anyway. */
  readonly decoded: Buffer | undefined
  /** False where the encoding is not one of the standard's. */
  readonly known: boolean
}

/** @param encoding lower case; empty where none is named */
export function decodeTransfer(bytes: Buffer, encoding: string): TransferDecoded {
  if (encoding === 'quoted-printable') return { decoded: decodeQuotedPrintable(bytes), known: true }
  if (encoding === 'base64') return { decoded: Buffer.from(bytes.toString('latin1'), 'base64'), known: true }
  return { decoded: undefined, known: /^(?:7bit|8bit|binary)?$/.test(encoding) }
}

const decodeQuotedPrintable = (bytes: Buffer): Buffer =>
  Buffer.from(
    bytes
      .toString('latin1')
      .replace(/=[ \t]{0,80}\r?\n/g, '')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
