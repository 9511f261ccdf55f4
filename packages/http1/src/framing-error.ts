/** Bytes that are not HTTP/1.1, or that two readers could take for different things. The connection cannot be read any further. */
export class FramingError extends Error {
  /** What is too large, where nothing is wrong but the size. */
  readonly tooLarge: 'head' | 'body' | null

  constructor(message: string, tooLarge: 'head' | 'body' | null = null) {
    super(message)
    this.name = 'FramingError'
    this.tooLarge = tooLarge
  }
}

/** The connection was closed in the middle of a message. */
export class TruncatedError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TruncatedError'
  }
}
