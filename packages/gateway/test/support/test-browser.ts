/** As much of a browser as signing in takes: cookies by host, the headers that say whose page asks, and redirects not followed. */
import { gatedPlaceOf, sessionCookie } from '../../src/credentials/session.ts'
import {
  type Answer,
  ask,
  GATE_HOST,
  HOST,
  pairOf,
  researcher,
  SESSION_KEY,
  type TestDataPlane,
} from './test-data-plane.ts'

export class TestBrowser {
  readonly #dataPlane: TestDataPlane
  /** By host, by name. */
  readonly #cookies = new Map<string, Map<string, string>>()

  constructor(dataPlane: TestDataPlane) {
    this.#dataPlane = dataPlane
  }

  get gate(): string {
    return `http://${GATE_HOST}:${this.#dataPlane.port}`
  }
  get site(): string {
    return `http://${HOST}:${this.#dataPlane.port}`
  }

  /** Opens a page in a tab. */
  open(url: string): Promise<Answer> {
    return this.#send('GET', new URL(url), {
      headers: { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
    })
  }

  /** Asks the API of the gate's own host as the gate's own page does. */
  call(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { 'Sec-Fetch-Site': 'same-origin', ...(method === 'GET' ? {} : { Origin: this.gate }) }
    return this.#send(method, new URL(`${this.gate}/api/${path}`), { headers, ...(body ? { body } : {}) })
  }

  /** Asks a gated host for the nonce as the gate's own page does, or as another one does. */
  nonce(origin = this.gate): Promise<Answer> {
    return this.#send('GET', new URL(`${this.site}/.sallyport/nonce`), {
      headers: { Origin: origin, 'Sec-Fetch-Site': 'same-site' },
    })
  }

  /** Begins at the gated host and gets a code for it; what the browser then opens. */
  async fetchCode(to = '/', more: object = {}): Promise<URL> {
    const begun = await this.open(`${this.site}/.sallyport/sign-in?to=${encodeURIComponent(to)}`)
    const asked = new URL(begun.header('location')).searchParams
    const [host, nonce, back] = [asked.get('host'), asked.get('nonce'), asked.get('to')]
    const { json } = await this.call('POST', 'codes', { host, nonce, to: back, ...more })
    return new URL(json.location)
  }

  cookie(url: string, name: string): string | undefined {
    return this.#cookies.get(new URL(url).hostname)?.get(name)
  }
  setCookie(url: string, name: string, value: string): void {
    this.#jarOf(new URL(url)).set(name, value)
  }

  async #send(method: string, url: URL, given: { headers: Record<string, string>; body?: object }) {
    const jar = this.#jarOf(url)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...given.headers, ...(cookie === '' ? {} : { Cookie: cookie }) }
    const answer = await ask(this.#dataPlane.port, method, url, { ...given, headers })
    for (const line of answer.cookies) {
      const [name = '', value = ''] = pairOf(line).split('=', 2)
      if (line.includes('Max-Age=0')) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }

  #jarOf({ hostname }: URL): Map<string, string> {
    const known = this.#cookies.get(hostname)
    if (known) return known
    const jar = new Map<string, string>()
    this.#cookies.set(hostname, jar)
    return jar
  }
}

/** The session of the researcher at the site of the tests, as a browser sends it. */
export const sessionOfResearcher = (): string =>
  pairOf(sessionCookie(gatedPlaceOf({ gatedName: HOST }), SESSION_KEY, researcher(), ''))
