/** Takes what a reader of bodies finds. */
export interface BodySink {
  /** A value at a path such as `user.name[0]`. */
  value(path: string, text: string): void
  /** A name as the sender wrote it. */
  name(path: string, text: string): void
  /** A text where no application expects a value. */
  otherText(path: string, text: string): void
  /** Name of an XML element or attribute. */
  elementName(path: string, text: string): void
  /** Name of an uploaded file, in a form field. */
  fileName(field: string, text: string): void
  /** Contents of an uploaded file. */
  fileContent(field: string, bytes: Buffer): void
}
