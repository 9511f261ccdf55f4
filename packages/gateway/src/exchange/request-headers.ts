/** Headers of a request that only the gate's own answers ask for, so that the walk over every request need not know them. */
import type { ReceivedRequest } from './exchange.ts'

/** The value of a header by its lower-case name, several joined as RFC 9110, section 5.3, joins them; empty where there is none. */
export function headerOf({ rawHeaders }: ReceivedRequest, name: string): string {
  let found = ''
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] ?? ''
    if (given.length !== name.length || given.toLowerCase() !== name) continue
    const value = rawHeaders[index + 1] ?? ''
    found = found === '' ? value : `${found}, ${value}`
  }
  return found
}

/** Whether a request may be for a document of its own: not for an image, a frame or anything else of another page. */
export function isForDocument(request: ReceivedRequest): boolean {
  const destination = headerOf(request, 'sec-fetch-dest')
  return destination === '' || destination === 'document'
}

/**
 * Whether a page has its browser send this without cookies, as its scripts may ask for and as scripts, fonts and manifests with
 * `crossorigin` are asked for by themselves (Fetch, section 2.2.5). Who has no cookie for another reason looks the same.
 */
export const isWithoutCredentials = (request: ReceivedRequest): boolean =>
  request.cookies.length === 0 && headerOf(request, 'sec-fetch-mode') === 'cors'

/** Whether a browser opens a page in a tab of its own: what it shows is what a person sees. */
export const isNavigation = (request: ReceivedRequest): boolean =>
  request.method === 'GET' &&
  request.accept.includes('text/html') &&
  headerOf(request, 'sec-fetch-mode') === 'navigate' &&
  headerOf(request, 'sec-fetch-dest') === 'document'
