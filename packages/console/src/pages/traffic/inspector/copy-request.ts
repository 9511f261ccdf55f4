/**
 * A recorded request as text to send again: as a curl command, and as raw HTTP. Other people chose what is in it, and it is pasted
 * into a shell: everything is quoted, and nothing of it can end a quotation, begin an option, or hide from who reads it. What the
 * record masks stays masked, and a body is not recorded.
 */
import type { LoggedRequest } from '../../../api/traffic/request-filters.ts'

export type CopiedRequest = Pick<
  LoggedRequest,
  'method' | 'scheme' | 'host' | 'target' | 'userAgent' | 'credential' | 'httpVersion'
>

/** Controls, characters that show nothing or turn the direction of others, and what is no character. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u
const UNSEEN_ALL = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}'\\]/gu

/** One word of a shell (POSIX quotes; `$'…'` of bash, zsh and ksh where a character would not show). */
export function shellWord(text: string): string {
  if (!UNSEEN.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  return `$'${text.replace(UNSEEN_ALL, (sign) =>
    sign === "'" || sign === '\\' ? `\\${sign}` : bytesOf(sign),
  )}'`
}

const bytesOf = (sign: string): string =>
  [...new TextEncoder().encode(sign)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')

/** A line of a head cannot hold the end of one. */
const inLine = (text: string): string => text.replace(/[\r\n\0]+/g, ' ')

/** What a researcher shows with a request, which no record holds: taken from the shell. */
const KEY_HEADER = '-H "Sallyport-Key: $SALLYPORT_KEY"'

/** A target that curl takes as the path of a URL and sends as it is: printable ASCII without `#`. */
const URL_PATH = /^\/[\x21\x22\x24-\x7e]*$/

/** `port` with its colon, where the gate is not at the usual one. */
export function asCurl(request: CopiedRequest, port: string): string {
  const { method, scheme, host, target, userAgent } = request
  const isPath = URL_PATH.test(target)
  const options = [
    'curl --globoff --path-as-is',
    ...(method === 'GET' ? [] : [`--request ${shellWord(inLine(method))}`]),
    // `*` and whole URLs are targets, too, and so is what is none of a URL: curl leaves out what follows `#`, and refuses spaces.
    ...(isPath ? [] : [`--request-target ${shellWord(inLine(target))}`]),
    `--header ${shellWord(`User-Agent:${userAgent ? ` ${inLine(userAgent)}` : ''}`)}`,
    ...(request.credential === 'none' ? [] : [KEY_HEADER]),
    `--url ${shellWord(`${scheme}://${host}${port}${isPath ? target : '/'}`)}`,
  ]
  return options.join(' \\\n  ')
}

export function asRawHttp({ method, target, host, userAgent, httpVersion }: CopiedRequest): string {
  const version = httpVersion === '1.0' ? '1.0' : '1.1'
  const lines = [
    `${inLine(method)} ${inLine(target)} HTTP/${version}`,
    `Host: ${inLine(host)}`,
    ...(userAgent ? [`User-Agent: ${inLine(userAgent)}`] : []),
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
