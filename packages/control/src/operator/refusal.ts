/** An act of the operator that cannot be done as asked; the message is a sentence for them. */
export class OperatorRefusal extends Error {
  override readonly name = 'OperatorRefusal'
}
