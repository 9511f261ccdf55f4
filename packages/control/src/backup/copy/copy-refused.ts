/** A copy of the record that would harm something, or cannot be made; the message is for the operator. */
export class CopyRefused extends Error {
  readonly code = 'COPY_REFUSED'
}
