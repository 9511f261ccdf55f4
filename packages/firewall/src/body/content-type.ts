/** What a Content-Type header says, as far as it decides how a body is read. */
export interface ContentType {
  /** Lower case, without parameters; empty where the header is absent. */
  readonly type: string
  readonly charset: string
  readonly boundary: string
}

/** Reads a Content-Type header leniently: whatever an origin might still understand. */
export function parseContentType(header: string): ContentType {
  const semicolon = header.indexOf(';')
  const type = (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase()
  return { type, charset: parameter(header, 'charset'), boundary: parameter(header, 'boundary') }
}

/** A parameter of a header such as Content-Type or Content-Disposition, quoted or not; empty where absent. */
export const parameter = (header: string, name: string): string => parameters(header, name)[0] ?? ''

/**
 * Every value that somebody could take for a parameter's: of those that repeat, readers take the first or the last, and
 * what stands within the quotes of another is a parameter to some.
 */
export function parameters(header: string, name: string): string[] {
  const value = '"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*)'
  const found = header.matchAll(new RegExp(`[;\\s]${name}\\s*=\\s*(?=${value})`, 'gi'))
  return Array.from(found, ([, quoted, plain]) => quoted?.replace(/\\(["\\])/g, '$1') ?? plain ?? '')
}
