/** The tool that a User-Agent betrays. For the record; nothing is decided by it. */

/** First match counts: scanners name themselves inside a browser's string. */
const TOOLS: readonly (readonly [string, RegExp])[] = [
  ['sqlmap', /sqlmap/i],
  ['nuclei', /nuclei/i],
  ['nikto', /nikto/i],
  ['burp', /burp/i],
  ['zap', /\bzap\b|owasp/i],
  ['ffuf', /ffuf|fuzz faster/i],
  ['gobuster', /gobuster/i],
  ['feroxbuster', /feroxbuster/i],
  ['dirbuster', /dirbuster|dirb\b/i],
  ['wfuzz', /wfuzz/i],
  ['wpscan', /wpscan/i],
  ['nmap', /nmap/i],
  ['acunetix', /acunetix/i],
  ['nessus', /nessus/i],
  ['katana', /katana/i],
  ['httpx', /httpx/i],
  ['headless-browser', /headlesschrome|playwright|puppeteer/i],
  ['curl', /^curl\//i],
  ['wget', /^wget/i],
  ['httpie', /^httpie/i],
  ['postman', /postman/i],
  ['python', /python|aiohttp/i],
  ['go', /^go-http-client/i],
  ['node', /^node|undici|axios/i],
  ['java', /^java|okhttp|apache-httpclient/i],
]

const ENTRIES_MAX = 2_048
const known = new Map<string, string>()

/** The tool's name, empty where the agent looks like a browser or like nothing known. */
export function toolOf(userAgent: string): string {
  if (userAgent === '') return ''
  const found = known.get(userAgent)
  if (found !== undefined) return found
  const tool = TOOLS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? ''
  if (known.size >= ENTRIES_MAX) known.clear()
  known.set(userAgent, tool)
  return tool
}
