/**
 * Tools and libraries by name: what their User-Agent contains, and under which other names the rules of the firewall know them.
 * The only place where tools are named.
 */
import { TextCache } from '@sallyport/toolbox'

/** A tool as the record names it. */
interface KnownTool {
  readonly name: string
  /** It asks by itself what nobody types in; unlike a client, a library or a proxy, which asks what somebody wants of it. */
  readonly isScanner: boolean
  /** What its User-Agent contains, in lower case. */
  readonly agent: RegExp
  /** Names that rules give it or its services, in lower case. */
  readonly aliases?: readonly string[]
}

type NamedTool = Omit<KnownTool, 'isScanner'>

/** Tools whose User-Agent contains their name as a word. */
const named = (names: string): NamedTool[] =>
  names.split(' ').map((name) => ({ name, agent: new RegExp(`\\b${name}\\b`) }))

/** Tools whose User-Agent begins with their name: such as may be words of others. */
const leading = (names: string): NamedTool[] =>
  names.split(' ').map((name) => ({ name, agent: new RegExp(`^${name}\\b`) }))

const SCANNERS: readonly NamedTool[] = [
  { name: 'burp', agent: /burp(?:suite|collaborator)?|portswigger/, aliases: ['burpcollaborator'] },
  { name: 'dirbuster', agent: /dirbuster/ },
  { name: 'zap', agent: /\bzap\b|zaproxy|owasp/ },
  { name: 'ffuf', agent: /fuzz faster u fool|\bffuf\b/ },
  { name: 'nuclei', agent: /\bnuclei\b/, aliases: ['interact.sh'] },
  { name: 'httpx', agent: /\bhttpx - open-source|projectdiscovery/ },
  { name: 'hydra', agent: /\(hydra\)|\bthc-hydra\b/ },
  { name: 'dirb', agent: /^mozilla\/4\.0 \(compatible; msie 6\.0; windows nt 5\.1\)$|\bdirb\b/ },
  { name: 'nmap', agent: /\bnmap\b/ },
  { name: 'nessus', agent: /nessus|tenable|\.nasl\b/ },
  { name: 'netsparker', agent: /netsparker|invicti/ },
  { name: 'openvas', agent: /openvas|greenbone/ },
  { name: 'skipfish', agent: /skipfish|^mozilla\/5\.0 sf\// },
  { name: 'zgrab', agent: /\bzgrab/ },
  { name: 'meg', agent: /\bmeg\// },
  { name: 'fimap', agent: /^fimap\b/ },
  ...named('sqlmap nikto feroxbuster gobuster dirsearch wfuzz wpscan masscan katana acunetix qualys arachni'),
  ...named('w3af whatweb commix dalfox xsstrike detectify wapiti jaeles arjun havij sqlninja'),
  ...named('medusa joomscan cmsmap dnsx subfinder gospider hakrawler zmeu tsunamisecurityscanner metasploit'),
  ...named('httrack scrapy colly schemathesis restler'),
]

/** What a person or their program asks with; caido and mitmproxy are mostly between a browser and the gate. */
const CLIENTS: readonly NamedTool[] = [
  ...named('caido mitmproxy'),
  { name: 'postman', agent: /postmanruntime/ },
  ...named('insomnia'),
  { name: 'curl', agent: /^curl\/|\blibcurl\b/ },
  { name: 'wget', agent: /^wget/ },
  ...named('httpie siege'),
  ...leading('aria2 lftp axel cadaver git npm docker skopeo pip xh hurl k6 h2load grpc'),
  { name: 'ab', agent: /^apachebench\b/ },
  { name: 'nghttp', agent: /^nghttp2\b/ },
  { name: 'bruno', agent: /^bruno/ },
  { name: 'intellij-http-client', agent: /^intellij http client/ },
  { name: 'thunder-client', agent: /^thunder client/ },
  { name: 'vscode-rest-client', agent: /^vscode-restclient/ },
  ...named('python-requests python-httpx python-urllib3'),
  { name: 'python-websockets', agent: /^python\/[\d.]+ websockets\b/ },
  { name: 'python-aiohttp', agent: /aiohttp/ },
  ...named('python-urllib go-http-client'),
  {
    name: 'java-http-client',
    agent: /java-http-client|apache-http(?:async)?client|okhttp|reactornetty|^java\//,
  },
  { name: 'node', agent: /^(?:node|undici|axios|got|needle|deno|bun)\b|node-fetch/ },
  { name: 'ruby', agent: /^(?:ruby|rest-client|http\.rb|typhoeus|excon|mechanize)\b|faraday/ },
  { name: 'perl', agent: /libwww-perl|^(?:lwp|http-tiny|mojolicious|www-mechanize)\b/ },
  { name: 'php', agent: /guzzlehttp|^php\/|^symfony httpclient\b/ },
  { name: 'rust', agent: /^reqwest\b|^hyper\// },
  { name: 'dart', agent: /^dart\// },
  { name: 'dotnet', agent: /^\.net\b|restsharp/ },
  { name: 'powershell', agent: /powershell/ },
  { name: 'headless-browser', agent: /headlesschrome|phantomjs|playwright|puppeteer|selenium/ },
]

/** The first that fits decides, so that a tool stands before the library that it is made with. */
const TOOLS: readonly KnownTool[] = [
  ...SCANNERS.map((tool) => ({ ...tool, isScanner: true })),
  ...CLIENTS.map((tool) => ({ ...tool, isScanner: false })),
]

/** What rules call a scanner that they do not know by name. */
const UNNAMED_SCANNER = 'scanner'
const SCANNER_NAMES: ReadonlySet<string> = new Set([UNNAMED_SCANNER, ...SCANNERS.map(({ name }) => name)])

/** By alias or name. */
const NAMES: ReadonlyMap<string, string> = new Map(
  TOOLS.flatMap(({ name, aliases = [] }) => [name, ...aliases].map((known) => [known, name] as const)),
)

/** User agents seen lately: a researcher sends the same one thousands of times. */
const known = new TextCache<string>({ entriesMax: 1_000, charsMax: 512 })

/** The tool that a User-Agent betrays; empty where it looks like a browser, or like nothing known. */
export function toolOf(userAgent: string): string {
  if (userAgent === '') return ''
  return known.get(userAgent) ?? known.set(userAgent, findTool(userAgent))
}

/** The tool as the record names it, by the name that a rule has for it. */
export const toolNamed = (name: string): string => NAMES.get(name) ?? name

/** Whether the tool that a record names is a scanner. */
export const isScannerTool = (name: string): boolean => name !== '' && SCANNER_NAMES.has(name)

const findTool = (userAgent: string): string => {
  const folded = userAgent.toLowerCase()
  return TOOLS.find(({ agent }) => agent.test(folded))?.name ?? ''
}
