/** What of a request is not as its definition says. */

export const VIOLATIONS = [
  'unlisted_operation',
  'undeclared_parameter',
  'parameter_type',
  'parameter_missing',
  'body_media_type',
  'body_schema',
] as const
export type ViolationName = (typeof VIOLATIONS)[number]

/** Where in the request, in the words of the firewall's hits. */
export type ViolationPart = 'method' | 'path' | 'query' | 'header' | 'cookie' | 'body'

export interface Violation {
  readonly name: ViolationName
  readonly part: ViolationPart
  /** Name of the parameter or path of the field; empty where there is none. */
  readonly parameter: string
  /** What was sent there; empty where that is nothing. */
  readonly sent: string
  /** True of a parameter that is declared to be a number, a boolean, a UUID or a date. */
  readonly isNarrow: boolean
  /** For people: `is not of type integer`. */
  readonly message: string
}

/** So many are told of one request. */
export const VIOLATIONS_MAX = 16
