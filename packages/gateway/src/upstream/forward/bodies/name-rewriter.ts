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
 */
import type { SiteHost } from '@sallyport/contract'
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
  /** What has been given out already, for what it says of what follows it, and what is held back. */
  #text = ''
  #given = 0
  /** Names that were rewritten. */
  count = 0

  constructor(request: GatedAddress, site: TranslatedNames) {
    this.#request = request
    this.#names = namesOf(request, site)
    const hosts = [...new Set(this.#names.map(({ origin }) => bracketed(origin.host)))]
    // Longer ones first: one may be the end of another.
    hosts.sort((one, other) => other.length - one.length)
    this.#hosts = new RegExp(hosts.map((host) => RegExp.escape(host)).join('|'), 'gi')
    this.#heldCharsMax = (hosts[0]?.length ?? 0) + BEFORE_CHARS + AFTER_CHARS
  }

  /** What can be given out now that this piece has come. */
  push(piece: Buffer): Buffer {
    this.#text = this.#text.slice(Math.max(0, this.#given - BEFORE_CHARS)) + piece.toString('latin1')
    this.#given = Math.min(this.#given, BEFORE_CHARS)
    const { length } = this.#text
    const ended = this.#afterLastBreak()
    const decided = length - this.#heldCharsMax + BEFORE_CHARS
    return ended > decided
      ? this.#give(ended, ended)
      : this.#give(decided, Math.max(this.#given, decided - BEFORE_CHARS))
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
      const hit = this.#hitAt(match.index, match.index + match[0].length, match[0].toLowerCase())
      if (!hit || hit.start < copied) continue
      out += text.slice(copied, hit.start) + hit.text
      copied = hit.end
      this.count += 1
    }
    const end = Math.max(copied, until)
    out += text.slice(copied, end)
    this.#given = end
    return Buffer.from(out, 'latin1')
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

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)
