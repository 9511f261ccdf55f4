/** Why a document is refused; `malformed` where it cannot even be read. `path` is a JSON Pointer. */
export class BadDocument extends Error {
  override readonly name = 'BadDocument'
  readonly kind: 'malformed' | 'too_much'
  readonly path: string

  constructor(kind: BadDocument['kind'], sentence: string, path = '') {
    super(sentence)
    this.kind = kind
    this.path = path
  }
}
