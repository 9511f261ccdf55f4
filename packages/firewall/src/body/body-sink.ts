/** Takes what a reader of bodies finds; each method returns false once no more is wanted. */
export interface BodySink {
  /** A value at a path such as `user.name[0]`. */
  value(path: string, text: string): boolean
  /** A name as the sender wrote it. */
  name(path: string, text: string): boolean
  /** Name of an XML element or attribute. */
  elementName(path: string, text: string): boolean
  /** Name of an uploaded file, in a form field. */
  fileName(field: string, text: string): boolean
  /** Contents of an uploaded file. */
  fileContent(field: string, bytes: Buffer): boolean
}
