/** What the visitors of a shop did and wrote, which telemetry tells. */
import type { Author } from '../content/author.ts'

export interface VisitContent {
  readonly person: string
  readonly email: string
  readonly userId: string
  /** Of an account at the vendor: 32 hexadecimal digits. */
  readonly key: string
  readonly titles: readonly string[]
  readonly queries: readonly string[]
  readonly paragraphs: readonly string[]
  readonly logs: readonly string[]
}

export function createVisit(author: Author): VisitContent {
  const several = (count: number, make: () => string): string[] => Array.from({ length: count }, make)
  return {
    person: author.person(),
    email: author.email(),
    userId: author.uuid(),
    key: author.uuid().replaceAll('-', ''),
    titles: several(5, author.title),
    queries: several(6, author.short),
    paragraphs: several(3, author.paragraph),
    logs: several(4, author.logLine),
  }
}

/** A page of the shop that a visit is on. */
export const shopPage = (visit: VisitContent): string => `<!doctype html><meta charset="utf-8">
<title>${escaped(visit.titles[0] ?? '')}</title><script src="/clients.js"></script>
<main class="shop"><h1>${escaped(visit.titles[1] ?? '')}</h1><p>${escaped(visit.paragraphs[0] ?? '')}</p>
<form onsubmit="return false"><input name="q" placeholder="Search">
<button id="buy">${escaped(visit.titles[2] ?? '')}</button></form></main>`

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
