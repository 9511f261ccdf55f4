/**
 * The addresses that rules look at, and which of them each value of a request is shown under.
 *
 * Names that begin with `server.` are libddwaf's, so that the maintained rules load as they are; those that begin
 * with `sallyport.` are ours, for what libddwaf does not tell apart.
 */
export const ADDRESSES = {
  method: 'server.request.method',
  target: 'server.request.uri.raw',
  query: 'server.request.query',
  body: 'server.request.body',
  path: 'server.request.path_params',
  cookie: 'server.request.cookies',
  header: 'server.request.headers.no_cookies',
  fileName: 'server.request.body.filenames',
  /** The path, decoded, without the query. */
  filename: 'sallyport.request.filename',
  /** Names of query and body parameters, one for each step of a nested one. */
  parameterNames: 'sallyport.request.parameter_names',
  /** Names of XML elements and attributes, which few applications do anything with. */
  elementNames: 'sallyport.request.element_names',
  cookieNames: 'sallyport.request.cookie_names',
  headerNames: 'sallyport.request.header_names',
  /** Names of the form fields that carry files. */
  fileFields: 'sallyport.request.file_fields',
  /** Texts where applications seldom expect input: most headers, names of files, headers of parts. */
  otherText: 'sallyport.request.other_text',
  /** Contents of uploaded files, textual or not. */
  fileContent: 'sallyport.request.file_content',
  /** Values that are a URL of a host other than the one asked for. */
  foreignUrl: 'sallyport.request.foreign_url',
  /** The Referer, where it names a host other than the one asked for. */
  foreignReferer: 'sallyport.request.foreign_referer',
  /** The word `absent`, where the request has no Referer. */
  absentReferer: 'sallyport.request.absent_referer',
} as const

/** A part of the request as `FirewallHit.part` names it. */
export type RequestPart = 'query' | 'path' | 'body' | 'header' | 'cookie' | 'file' | 'method' | 'target'

/** Addresses that a value is shown under, with a short key that stands for them. */
export interface AddressGroup {
  readonly key: string
  readonly addresses: readonly string[]
}

/** Makes a group; the same addresses give the same key. */
export const addressGroup = (...addresses: readonly string[]): AddressGroup => ({
  key: addresses.join(' '),
  addresses,
})

/**
 * The groups that values are shown under: each address alone, by its name, and the text of an uploaded file, which rules for
 * bodies judge as well.
 */
export const GROUPS = {
  // Of the type that the addresses have: `Object.fromEntries` forgets the names.
  ...(Object.fromEntries(
    Object.entries(ADDRESSES).map(([name, address]) => [name, addressGroup(address)]),
  ) as Record<keyof typeof ADDRESSES, AddressGroup>),
  fileText: addressGroup(ADDRESSES.fileContent, ADDRESSES.body),
} as const

const known = new Set<string>(Object.values(ADDRESSES))

/** Whether values are ever shown under an address; a rule that looks only elsewhere can never match. */
export const isKnownAddress = (address: string): boolean => known.has(address)
