/** Requests as no cache has seen them: each has a path and values of its own, the same ones on every run of a seed. */
import type { TestRequest } from '../../packages/firewall/test/support/corpus.ts'

/** What a browser sends with every request. */
export const BROWSER = {
  'User-Agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'Accept-Language': 'en-US,en;q=0.9',
  'Accept-Encoding': 'gzip, deflate, br',
  Cookie: 'theme=dark; consent=1; visitor=3f2a7c55-09d1-4f4e-9a43-2f1b9f6f2d10',
}

/** GETs with a fresh path and five fresh query values: words, names, codes, addresses, times, prices. */
export function freshRequests(count: number, seed: number): TestRequest[] {
  let state = seed
  const random = (max: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * max)
  }
  const letters = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(0x61 + random(26))).join('')
  const word = (): string => letters(3 + random(8))
  const name = (): string => word().replace(/^./, (first) => first.toUpperCase())
  const two = (max: number): string => String(random(max) + 1).padStart(2, '0')
  const kinds = [
    () => `${word()} ${word()}`,
    () => `${name()} ${name()}-${name()}`,
    () => `${word()}.${word()}@${word()}.example`,
    () => `${letters(3).toUpperCase()}-${random(10_000)}-${letters(4)}${random(100)}`,
    () => `20${two(40)}-${two(12)}-${two(28)}T${two(23)}:${two(59)}:${two(59)}Z`,
    () => `${random(1_000)}.${two(99)} ${letters(3).toUpperCase()}`,
    () => `${word()}_${word()},${word()}`,
  ]
  const value = (): string => encodeURIComponent(kinds[random(kinds.length)]?.() ?? '').replaceAll('%20', '+')
  return Array.from({ length: count }, () => {
    const query = ['q', 'name', 'sort', 'from', 'ref'].map((key) => `${key}=${value()}`).join('&')
    const target = `/${word()}/${word()}-${word()}-${random(1_000_000)}?${query}`
    return {
      head: { method: 'GET', target, rawHeaders: Object.entries(BROWSER).flat() },
      body: Buffer.alloc(0),
    }
  })
}
