/**
 * The headers of a request, and what one walk over them found. Tools and browsers repeat their headers from request to
 * request of a connection, and a scanner sends thousands of requests that differ in the target alone: so a connection keeps the
 * last block, and one that is the same text is neither read nor worked out again.
 */
import type { OriginConfig } from '@sallyport/contract'
import { foldName } from '@sallyport/policy'
import { readAuthorization } from './authorization.ts'
import {
  classOf,
  type HeaderClass,
  isNamedClass,
  type NamedClass,
  namesInConnection,
} from './header-names.ts'
import type { HeaderEvidence } from './header-signs.ts'

/** A header that names a further path or method of the request. */
export interface NamedByHeader {
  readonly kind: NamedClass
  /** Folded, and cut to a length that a record may have. */
  readonly name: string
  readonly value: string
}

/** What the headers mean to a gate, before it is decided whether that makes sense. */
export interface HeaderMeaning {
  hosts: number
  host: string
  lengths: number
  length: string
  transferEncodings: number
  transferEncoding: string
  upgrade: string
  /** What the `Connection` headers list, lower case. */
  connection: string[]
  expect: string
  userAgent: string
  key: string
  keys: number
  authorizations: number
  /** Whether an `Authorization` holds anything in the form of a key. */
  authorizationHoldsKey: boolean
  /** The password of HTTP Basic, where it has the form of a key; empty otherwise. */
  passwordKey: string
  /** The same of `Proxy-Authorization`, which means something to who came by the proxy port alone. */
  proxyAuthorizations: number
  proxyKey: string
  accept: string
  cookies: string[]
  /** A framing header in a spelling that only some readers take for one. */
  disguised: boolean
  /** In their order. */
  named: NamedByHeader[]
}

/** The lines that go on to an origin, and for what they were worked out. */
export interface ForwardedLines {
  readonly origin: OriginConfig
  readonly peer: object | null
  /** At the proxy port each request says its scheme. */
  readonly secure: boolean
  readonly isPreflight: boolean
  readonly expectContinue: boolean
  readonly knownHeadersOnly: boolean
  text: string
  /** Whether the text is one piece in memory. */
  isFlat: boolean
}

export interface HeaderBlock {
  /** As it was sent, without the empty line at its end; empty where it did not come as text. */
  readonly text: string
  /** Name, value, name, value …, in the order and the case in which they were sent, without what holds a key in `Authorization` or `Proxy-Authorization`. */
  readonly rawHeaders: readonly string[]
  readonly meaning: HeaderMeaning
  /** Whether another request came with it. */
  isRepeated: boolean
  /** The last ones worked out, for who sends the same block to the same origin again. */
  forwarded: ForwardedLines | null
  /** What they say of the program that sends them, once somebody has asked. */
  evidence: HeaderEvidence | null
}

/** The block of headers that were read already. */
export function blockOf(sent: readonly string[], text = ''): HeaderBlock {
  const meaning = meaningOf(sent)
  const holdsKey = meaning.authorizationHoldsKey || meaning.proxyAuthorizations > 0
  const rawHeaders = holdsKey ? sent.filter((_, index) => !holdsKeyAt(sent, index - (index % 2))) : sent
  return { text, rawHeaders, meaning, isRepeated: false, forwarded: null, evidence: null }
}

/** Taken out here, so that nothing that looks at headers, forwards or shows them ever has a key. */
const holdsKeyAt = (rawHeaders: readonly string[], index: number): boolean =>
  AUTHORIZATIONS.has(classOf(rawHeaders[index] ?? '')) &&
  readAuthorization(rawHeaders[index + 1] ?? '').holdsKey
const AUTHORIZATIONS: ReadonlySet<HeaderClass> = new Set(['authorization', 'proxy-authorization'])

const NONE: string[] = []
const NOTHING_NAMED: NamedByHeader[] = []
const NAME_CHARS_MAX = 64

function meaningOf(rawHeaders: readonly string[]): HeaderMeaning {
  const found: HeaderMeaning = {
    hosts: 0,
    host: '',
    lengths: 0,
    length: '',
    transferEncodings: 0,
    transferEncoding: '',
    upgrade: '',
    connection: NONE,
    expect: '',
    userAgent: '',
    key: '',
    keys: 0,
    authorizations: 0,
    authorizationHoldsKey: false,
    passwordKey: '',
    proxyAuthorizations: 0,
    proxyKey: '',
    accept: '',
    cookies: NONE,
    disguised: false,
    named: NOTHING_NAMED,
  }
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const headerClass = classOf(rawHeaders[index] ?? '')
    if (headerClass === 'pass' || headerClass === 'drop') continue
    const value = rawHeaders[index + 1] ?? ''
    if (isNamedClass(headerClass)) noteNamed(found, headerClass, rawHeaders[index] ?? '', value)
    else note(found, headerClass, value)
  }
  return found
}

function noteNamed(found: HeaderMeaning, kind: NamedClass, spelled: string, value: string): void {
  const name = foldName(spelled.slice(0, NAME_CHARS_MAX))
  if (found.named === NOTHING_NAMED) found.named = []
  found.named.push({ kind, name, value })
}

function note(found: HeaderMeaning, headerClass: HeaderClass, value: string): void {
  if (headerClass === 'host') {
    found.hosts++
    found.host = value
  } else if (headerClass === 'user-agent') found.userAgent = value
  // Several lines are one list (RFC 9110, section 5.3).
  else if (headerClass === 'accept') found.accept = found.accept === '' ? value : `${found.accept}, ${value}`
  else if (headerClass === 'key') {
    found.keys++
    found.key = value
  } else if (headerClass === 'authorization') {
    const { holdsKey, passwordKey } = readAuthorization(value)
    found.authorizations++
    found.authorizationHoldsKey ||= holdsKey
    found.passwordKey = found.authorizations === 1 ? passwordKey : ''
  } else if (headerClass === 'proxy-authorization') {
    found.proxyAuthorizations++
    found.proxyKey = found.proxyAuthorizations === 1 ? readAuthorization(value).passwordKey : ''
  } else if (headerClass === 'cookie') {
    if (found.cookies === NONE) found.cookies = [value]
    else found.cookies.push(value)
  } else if (headerClass === 'content-length') {
    found.lengths++
    found.length = value
  } else if (headerClass === 'transfer-encoding') {
    found.transferEncodings++
    found.transferEncoding = value
  } else if (headerClass === 'upgrade') found.upgrade = value
  else if (headerClass === 'connection') {
    if (found.connection === NONE) found.connection = namesInConnection(value)
    else for (const name of namesInConnection(value)) found.connection.push(name)
  } else if (headerClass === 'expect') found.expect = value
  else if (headerClass === 'framing') found.disguised = true
}
