/**
 * Host names in a text that arrives in pieces: where a piece names an origin of the site, or of its group, the gated name takes
 * its place.
 *
 * What counts is the whole host: in an absolute URL of any of the schemes that browsers use, with slashes as they are, as JSON
 * and scripts escape them (`https:\/\/`, `https:\u002F\u002F`) or as queries do (`https%3A%2F%2F`); after `//`; and by itself. Where
 * a port is named, it is the origin's. A host that is a part of a longer name, of an address of mail or of a path stays.
 *
 * Text is read with a character for each byte, so that it comes out as it was, in whatever encoding that has ASCII in it. A hit is
 * decided when what follows is there, too; so the end of a piece is held back from the last character on that ends a name: mostly a
 * few bytes, at most as many as the longest host has, and some.
 *
 * Of a wildcard's hosts what they end with is looked for, and the label before it read backwards.
 */
import type { SiteHost } from '@sallyport/contract'
import { isWildcardHost } from '@sallyport/policy'
import {
  type GatedAddress,
  gatedAuthorityOf,
  namesOf,
  siteOfOrigin,
  type TranslatedNames,
} from '../headers/host-rewriting.ts'

/** The longest that can stand before a host and belong to it: `https:\u002F\u002F`, and the character before that. */
const BEFORE_CHARS = 24
/** The longest that has to be seen after a host: `%3A`, five digits, and what ends them. */
const AFTER_CHARS = 16
/** Ends a name, a port and a URL, whatever was before. */
const BREAK = /[\s"'<>(){};,|`^]/

const SCHEME = /(?<![\w+.\-\x80-\xff])(https?|wss?)(:|%3a)(\/\/|\\\/\\\/|%2f%2f|\\u002f\\u002f)$/i
const NO_SCHEME = /(?<![:\w\\/])(?:\/\/|\\\/\\\/|\\u002f\\u002f)$/i
/** Before a host that stands by itself. */
const JOINED_BEFORE = /[\w.@%/\\+\-\x80-\xff]$/
const PORT = /^(:|%3a)(\d{1,5})(?!\d)/i
/** After a host or its port: it goes on, or was a user's name. */
const JOINED_AFTER = /^(?:[\w\-\x80-\xff@]|\.[\w\x80-\xff]|%40|:\d)/i

const LABEL_CHARS_MAX = 63
const LABEL_CHAR = /[a-z0-9-]/i
/** What of the escape of a slash could be taken for the beginning of a label, by the character before it. */
const ESCAPES: Readonly<Record<string, RegExp>> = { '\\': /^u002f/i, '%': /^2f/i }

/** A name that stands in the text, and what takes its place. */
interface Hit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export class NameRewriter {
  readonly #names: readonly SiteHost[]
  readonly #request: GatedAddress
  readonly #hosts: RegExp
  readonly #heldCharsMax: number
  /** The longest that has to be kept before what is looked for. */
  readonly #beforeChars: number
  /** What has been given out already, for what it says of what follows it, and what is held back. */
  #text = ''
  #given = 0
  /** Names that were rewritten. */
  count = 0

  constructor(request: GatedAddress, site: TranslatedNames) {
    this.#request = request
    this.#names = namesOf(request, site)
    const hosts = [...new Set(this.#names.map(({ origin }) => soughtOf(origin.host)))]
    const hasWildcard = this.#names.some(({ origin }) => isWildcardHost(origin.host))
    this.#beforeChars = BEFORE_CHARS + (hasWildcard ? LABEL_CHARS_MAX : 0)
    // Longer ones first: one may be the end of another.
    hosts.sort((one, other) => other.length - one.length)
    this.#hosts = new RegExp(hosts.map((host) => RegExp.escape(host)).join('|'), 'gi')
    this.#heldCharsMax = (hosts[0]?.length ?? 0) + this.#beforeChars + AFTER_CHARS
  }

  /** What can be given out now that this piece has come. */
  push(piece: Buffer): Buffer {
    this.#text = this.#text.slice(Math.max(0, this.#given - this.#beforeChars)) + piece.toString('latin1')
    this.#given = Math.min(this.#given, this.#beforeChars)
    const { length } = this.#text
    const ended = this.#afterLastBreak()
    const decided = length - this.#heldCharsMax + this.#beforeChars
    return ended > decided
      ? this.#give(ended, ended)
      : this.#give(decided, Math.max(this.#given, decided - this.#beforeChars))
  }

  /** The rest, when nothing follows. */
  end(): Buffer {
    return this.#give(this.#text.length, this.#text.length)
  }

  /** Where what is undecided may begin at the earliest, if a character near the end says so; 0 otherwise. */
  #afterLastBreak(): number {
    const text = this.#text
    const from = Math.max(0, text.length - this.#heldCharsMax)
    for (let at = text.length - 1; at >= from; at--) if (BREAK.test(text[at] ?? '')) return at + 1
    return 0
  }

  /** Gives out what lies before `until`, and what a hit that begins before `decided` leads beyond it. */
  #give(decided: number, until: number): Buffer {
    const text = this.#text
    let out = ''
    let copied = this.#given
    this.#hosts.lastIndex = copied
    for (let match = this.#hosts.exec(text); match && match.index < decided; match = this.#hosts.exec(text)) {
      const end = match.index + match[0].length
      const start = match[0].startsWith('.') ? this.#labelStart(match.index) : match.index
      const hit = this.#hitAt(start, end, text.slice(start, end).toLowerCase())
      if (!hit || hit.start < copied) {
        // A wildcard's host may end with the name of another site.
        this.#hosts.lastIndex = match.index + 1
        continue
      }
      out += text.slice(copied, hit.start) + hit.text
      copied = hit.end
      this.count += 1
    }
    const given = Math.max(copied, until)
    out += text.slice(copied, given)
    this.#given = given
    return Buffer.from(out, 'latin1')
  }

  /** Where the label begins that ends here. */
  #labelStart(end: number): number {
    const text = this.#text
    const from = Math.max(0, end - this.#beforeChars)
    let start = end
    while (start > from && LABEL_CHAR.test(text[start - 1] ?? '')) start -= 1
    const escaped = ESCAPES[text[start - 1] ?? '']?.exec(text.slice(start, end))
    return start + (escaped?.[0].length ?? 0)
  }

  #hitAt(start: number, hostEnd: number, host: string): Hit | null {
    const text = this.#text
    const before = text.slice(Math.max(0, start - BEFORE_CHARS), start)
    const after = text.slice(hostEnd, hostEnd + AFTER_CHARS)
    const [portText = '', portColon = ':', port = ''] = PORT.exec(after) ?? []
    const rest = after.slice(portText.length)
    const [beginning = '', scheme = '', colon = portColon, slashes = ''] = SCHEME.exec(before) ?? []
    if (JOINED_AFTER.test(rest) || (scheme !== '' && rest.startsWith(':'))) return null
    if (scheme === '' && !NO_SCHEME.test(before) && JOINED_BEFORE.test(before)) return null
    const authority = port === '' ? host : `${host}:${port}`
    const named = siteOfOrigin(authority, PLAIN_SCHEMES[scheme.toLowerCase()] ?? '', this.#names)
    if (!named) return null
    const gated = gatedAuthorityOf(named, this.#request)
    return {
      start: start - beginning.length,
      end: hostEnd + portText.length,
      text: `${this.#schemeFor(scheme)}${beginning === '' ? '' : colon}${slashes}${colon === ':' ? gated : encodeURIComponent(gated)}`,
    }
  }

  #schemeFor(scheme: string): string {
    if (scheme === '') return ''
    return `${/^ws/i.test(scheme) ? 'ws' : 'http'}${this.#request.secure ? 's' : ''}`
  }
}

const PLAIN_SCHEMES: Readonly<Record<string, string>> = {
  http: 'http',
  https: 'https',
  ws: 'http',
  wss: 'https',
}

/** A host as it stands in a text; of a wildcard what its hosts end with. */
function soughtOf(host: string): string {
  if (isWildcardHost(host)) return host.slice(1)
  return host.includes(':') ? `[${host}]` : host
}
