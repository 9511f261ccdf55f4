/**
 * Ordinary traffic: what people and their programs send to sites when nobody attacks. Generated from a seed, so that
 * every run judges the same requests.
 */
import { gzipSync } from 'node:zlib'
import type { TestRequest } from './corpus.ts'

/** A benign request and what kind of traffic it stands for. */
export interface BenignRequest extends TestRequest {
  readonly kind: string
}

/** A small generator of pseudo-random numbers (mulberry32), so that runs agree. */
export const randomFrom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
]

/** Prose: product reviews, support tickets, comments, recipes, minutes. */
const PROSE = [
  "We ordered two of the large tables last spring, and I can't say enough about how well they've held up; the children draw, spill and climb on them. If you're undecided: choose oak or walnut, not pine. (The pine one we returned.)",
  'Hi team, the export of invoices fails since Monday. Steps: open "Reports" > "Invoices", select all, press Export. Expected: a CSV file. Actual: error 500 - see the screenshot. It works from home, but not at the office; could it be the proxy?',
  "She asked whether the union of the two clubs would select a new chair from among the older members, and where they'd meet. Nobody knew. Let's drop the subject, update the minutes and insert a note into the table of contents.",
  'Preheat the oven to 180 C; mix 200 g flour, 100 g sugar & 2 eggs. Then add milk (about 50 ml), stir, and bake for 35-40 minutes. Tip: if it browns too fast, cover it -- foil works best.',
  "Don't use it on wool! I did, and it's ruined... 5/10. \"Machine washable\" they said; well, it isn't. Price = 49.99 + shipping; refund < 50% of what I paid.",
  'Le musée est ouvert du mardi au dimanche, de 10 h à 18 h ; l’entrée est libre le premier dimanche du mois. N’oubliez pas d’apporter une pièce d’identité, s’il vous plaît — surtout pour les groupes.',
  'Die Lieferung kam erst am Freitag an; leider war eine der Schrauben verbogen (siehe Foto). Können Sie mir bitte Ersatz schicken? Sonst ist der Tisch wirklich schön, und die Farbe passt genau zu unseren Stühlen.',
  '¿Podrían decirme si el hotel acepta perros? Viajamos con uno pequeño, de unos 8 kg; no ladra ni molesta. Además, ¿hay aparcamiento cerca? Muchas gracias y un saludo.',
  'La nonna diceva sempre: "chi va piano, va sano e va lontano". E aveva ragione! Però oggi l’autobus era in ritardo di un’ora, e nessuno ci ha avvisati.',
  'Bestelling 48213 is nog niet binnen. Op de website staat "onderweg", maar dat staat er al sinds vorige week; kunt u nagaan waar het pakket is? Alvast bedankt.',
  'Собрание жильцов состоится в четверг в 19:00. Повестка: ремонт крыши, новый договор и выбор старшего по дому. Если не можете прийти, передайте свой голос соседу.',
  '会議は来週の火曜日、午後三時からです。資料は前日までに共有してください。欠席の場合は、必ず連絡をお願いします（代理でも構いません）。',
  '这家餐厅的面条非常好吃，服务员也很热情。唯一的缺点是周末人太多，需要排队半个小时。建议提前预订！',
  'نود أن نعلمكم أن المكتبة ستكون مغلقة يوم الخميس القادم بسبب أعمال الصيانة، وستفتح أبوابها كالمعتاد صباح السبت.',
  'Αγαπητοί φίλοι, η παράσταση αναβάλλεται λόγω καιρού. Τα εισιτήρια ισχύουν για την επόμενη εβδομάδα, την ίδια ώρα.',
  'Toplantı yarın saat 14:00’te başlayacak; lütfen geç kalmayın. Sunum dosyasını ekte bulabilirsiniz, sorularınız varsa yazın.',
  "Rock'n'roll isn't dead, it's just resting: O'Brien and D'Angelo's band plays \"Summer of '69\" on the 4th. Doors at 7, tickets $20 or 2 for $35 -- cash only!",
  'The average score rose from 3.2 to 4.1 (n = 212), and 87% of users said they would recommend us; only 3 of 212 disagreed. See table 2 and figure 4 for the details by group and by year.',
  'Remember to lock the back door, turn off the lights and set the alarm; then echo the message in the group chat. Cat food is in the left cupboard, find the key under the mat.',
  'My dog ate my homework; no, really: he got up on the desk, ripped the pages and buried them. I have photos and a witness (my sister), and I can hand in a copy tomorrow if that is OK?',
]

/** Questions and answers about programming: SQL in prose, snippets of code. */
const TECHNICAL = [
  'How do I join two tables? I have users and orders, and I want to select all orders of users from Berlin. My query returns duplicates, I guess because of the second join.',
  'Your query reads every row. Add an index on created_at, and select only the columns that you need instead of select *; then order by created_at and limit the result.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code of somebody else
  'function greet(name) {\n  const text = `Hello ${name}`\n  return text.toUpperCase()\n}',
  'def mean(values):\n    total = sum(values)\n    return total / len(values) if values else 0\n',
  'const sorted = items.filter((item) => item.price > 10 && item.stock > 0).map((item) => item.name).sort()',
  'if (count > 0 && total < limit) {\n  for (let i = 0; i < count; i++) total += prices[i]\n}',
  'The button has padding: 8px 16px; color: #333; background: linear-gradient(90deg, #fff, #eee); border-radius: 4px;',
  'SELECT name, price FROM products WHERE category = ? ORDER BY price DESC -- what is the question mark for?',
  'We moved from MySQL to PostgreSQL in May: the migration took 3 hours, and the only surprise was that column names are case-sensitive when quoted.',
  'Use git rebase -i HEAD~3, mark the last two commits as fixup, then push with --force-with-lease. If it goes wrong, git reflog is your friend.',
  'public class Basket {\n  private final List<Item> items = new ArrayList<>();\n  public int size() { return items.size(); }\n}',
  'The regex ^[a-z0-9._-]+@[a-z0-9.-]+$ is good enough for a first check; the real test is to send a message.',
  'Error: Cannot read properties of undefined (reading "map") at List (List.jsx:14:22) at renderWithHooks (react-dom.js:1421:18)',
  'npm install, then npm run build; the output is in dist/. On Windows, use cross-env so that NODE_ENV is set.',
  '<p>Hello <b>world</b>, this is <i>rich</i> text with a <a href="https://docs.example.org/guide">link</a>.</p><ul><li>one</li><li>two</li></ul>',
  '# Title\n\nSome *emphasis*, a [link](https://example.org/a_b?c=d&e=f) and a list:\n\n- first\n- second\n\n> quoted\n\n    indented code\n',
  'UPDATE: I was wrong; delete from cache first, then reload. And set the header where you create the response, not in the middleware.',
  '{"version":2,"rules":[{"when":"total > 100 and country in (DE, AT)","then":"free shipping"}]}',
  'fn main() {\n    let total: u32 = (1..=10).filter(|n| n % 2 == 0).sum();\n    println!("{total}");\n}',
  'x = 1 or y = 2? In Python, and binds tighter than or; when in doubt, write parentheses.',
]

const WORDS =
  'blue summer shoes wooden table lamp garden chair kids jacket waterproof large coffee maker bike helmet gift women watch leather bag phone case winter boots cotton shirt office desk'.split(
    ' ',
  )

/** Makes `count` requests, evenly over the kinds of traffic. */
export function benignRequests(count: number, seed = 7): BenignRequest[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, index) => {
    const make = KINDS[index % KINDS.length] ?? browse
    return make(new Tools(random))
  })
}

class Tools {
  readonly random: () => number
  constructor(random: () => number) {
    this.random = random
  }
  number(max: number): number {
    return Math.floor(this.random() * max)
  }
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    const found = list[this.number(list.length)]
    if (found === undefined) throw new Error('nothing to pick from')
    return found
  }
  hex(length: number): string {
    return Array.from({ length }, () => this.number(16).toString(16)).join('')
  }
  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.number(256)))
  }
  words(count: number): string {
    return Array.from({ length: count }, () => this.pick(WORDS)).join(' ')
  }
  uuid(): string {
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-a${this.hex(3)}-${this.hex(12)}`
  }
  token(length: number): string {
    return this.bytes(length).toString('base64url')
  }
  jwt(): string {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = {
      sub: this.uuid(),
      name: "Mara O'Neill",
      iat: 1_760_000_000 + this.number(9e6),
      scope: 'read write',
    }
    return `${part({ alg: 'RS256', typ: 'JWT', kid: this.hex(8) })}.${part(claims)}.${this.token(256)}`
  }
  prose(): string {
    return this.pick(PROSE)
  }
  request(
    kind: string,
    method: string,
    target: string,
    body: string | Buffer,
    headers: Record<string, string>,
  ): BenignRequest {
    const all: Record<string, string> = {
      Host: 'shop.example',
      'User-Agent': this.pick(AGENTS),
      Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
      'Accept-Language': 'en-GB,en;q=0.7,de;q=0.3',
      'Accept-Encoding': 'gzip, deflate, br, zstd',
      Referer: `https://shop.example/c/${this.pick(WORDS)}?page=${this.number(9) + 1}&sort=price_asc`,
      Cookie: `sid=s%3A${this.token(24)}.${encodeURIComponent(this.bytes(32).toString('base64'))}; theme=dark; _ga=GA1.2.${this.number(1e9)}.${this.number(1e9)}; consent=${encodeURIComponent(JSON.stringify({ ads: false, stats: true, v: 3 }))}; cart=${this.uuid()}`,
      'Sec-Fetch-Site': 'same-origin',
      'Sec-Fetch-Mode': 'navigate',
      'sec-ch-ua': '"Chromium";v="138", "Not=A?Brand";v="8"',
      'sec-ch-ua-platform': '"Linux"',
      'If-None-Match': `W/"${this.hex(8)}-${this.token(12)}"`,
      ...headers,
    }
    return { kind, head: { method, target, rawHeaders: Object.entries(all).flat() }, body: Buffer.from(body) }
  }
}

const browse = (tools: Tools): BenignRequest =>
  tools.request(
    'browsing',
    'GET',
    tools.pick([
      `/p/${tools.words(3).replaceAll(' ', '-')}-${tools.number(99999)}`,
      `/search?q=${encodeURIComponent(tools.words(3)).replaceAll('%20', '+')}&page=${tools.number(20)}&min=10&max=200&brand%5B%5D=acme&brand%5B%5D=o%27neill`,
      `/assets/app.${tools.hex(8)}.js?v=1.2.${tools.number(9)}`,
      `/img/${tools.number(9999)}/${tools.words(2).replaceAll(' ', '_')}@2x.webp?w=640&q=75&fit=crop`,
      `/account/orders/${tools.uuid()}?tab=details#top`,
      `/api/v2/items?fields=id,name,price&filter=price.gte:10,price.lte:50&include=variants&sort=-created_at`,
      `/calendar?from=2026-03-01T00:00:00%2B01:00&to=2026-03-31&tz=Europe/Berlin`,
      `/login?returnTo=${encodeURIComponent('https://shop.example/checkout?step=2&items=3')}`,
      `/map?bbox=13.08,52.33,13.76,52.67&zoom=11&layers=transit,bike`,
      `/static/fonts/inter-v13-latin-600.woff2`,
    ]),
    '',
    {},
  )

const form = (tools: Tools): BenignRequest =>
  tools.request(
    'form',
    'POST',
    '/reviews',
    new URLSearchParams({
      csrf: tools.token(32),
      title: tools.words(4),
      text: tools.prose(),
      rating: String(tools.number(5) + 1),
      email: 'mara.o-neill+shop@example.org',
      phone: '+49 (30) 1234-567',
      website: 'https://www.example.org/~mara/?ref=1',
      password: `${tools.token(9)}'!#`,
      address: 'Flat 3/2, "The Mill", 12-14 St. John\u2019s Road; Leeds',
    }).toString(),
    { 'Content-Type': 'application/x-www-form-urlencoded' },
  )

const comment = (tools: Tools): BenignRequest =>
  tools.request(
    'prose in JSON',
    'POST',
    '/api/comments',
    JSON.stringify({
      parent: tools.uuid(),
      body: Array.from({ length: 1 + tools.number(12) }, () => tools.prose()).join('\n\n'),
      mentions: ['@mara', '@lee_chen'],
      draft: false,
      position: { start: tools.number(100), end: null },
    }),
    { 'Content-Type': 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
  )

const question = (tools: Tools): BenignRequest =>
  tools.request(
    'technical prose',
    'POST',
    '/api/questions',
    JSON.stringify({
      title: 'How does this work?',
      body: `${tools.prose()}\n\n${tools.pick(TECHNICAL)}\n\n${tools.pick(TECHNICAL)}`,
      tags: ['sql', 'javascript', 'c++', '.net'],
    }),
    { 'Content-Type': 'application/json' },
  )

const beacon = (tools: Tools): BenignRequest =>
  tools.request(
    'analytics',
    'POST',
    `/g/collect?v=2&tid=G-${tools.hex(8)}&gtm=45je${tools.hex(4)}&_p=${tools.number(1e9)}&dl=${encodeURIComponent('https://shop.example/p/1?utm_source=news&utm_campaign=spring(1)')}&dr=${encodeURIComponent('https://www.search.example/')}&dt=${encodeURIComponent('Shoes & bags | Shop')}&sr=1920x1080&_et=${tools.number(9999)}`,
    `en=scroll&epn.percent_scrolled=90&_et=${tools.number(9999)}\r\nen=user_engagement&ep.selector=${encodeURIComponent('div.main > ul li:nth-child(3) a[href]')}`,
    { 'Content-Type': 'text/plain;charset=UTF-8' },
  )

const telemetry = (tools: Tools): BenignRequest =>
  tools.request(
    'telemetry',
    'POST',
    '/api/events',
    gzipSync(
      JSON.stringify(
        Array.from({ length: 10 }, () => ({
          id: tools.uuid(),
          t: 1_760_000_000_000 + tools.number(1e9),
          name: tools.pick(['page.view', 'cart.add', 'error', 'vitals.lcp']),
          url: `https://shop.example/p/${tools.number(1e5)}?a=1&b=2`,
          stack: tools.pick(TECHNICAL),
          value: tools.random() * 1000,
          selector: '#root > main.container button:not(.disabled)',
        })),
      ),
    ),
    { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
  )

const imageInJson = (tools: Tools): BenignRequest =>
  tools.request(
    'base64 image',
    'PUT',
    `/api/profile/${tools.uuid()}`,
    JSON.stringify({
      name: "Mara O'Neill",
      about: tools.prose(),
      avatar: `data:image/png;base64,iVBORw0KGgo${tools.bytes(200 + tools.number(6000)).toString('base64')}`,
    }),
    { 'Content-Type': 'application/json' },
  )

const bearer = (tools: Tools): BenignRequest =>
  tools.request('JWT', 'GET', `/api/me?access=${tools.jwt()}&nonce=${tools.token(16)}`, '', {
    Authorization: `Bearer ${tools.jwt()}`,
    'X-CSRF-Token': tools.token(48),
    Accept: 'application/json',
  })

const upload = (tools: Tools): BenignRequest => {
  const boundary = `----WebKitFormBoundary${tools.token(12)}`
  const file = tools.pick([
    {
      name: `Holiday photo (${tools.number(99)}).jpg`,
      type: 'image/jpeg',
      content: Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), tools.bytes(3000)]),
    },
    {
      name: 'minutes_2026-03.v2.txt',
      type: 'text/plain',
      content: Buffer.from(Array.from({ length: 20 }, () => tools.prose()).join('\n')),
    },
    {
      name: 'prices.csv',
      type: 'text/csv',
      content: Buffer.from('sku;name;price\n1;"Table, oak";199.00\n2;O\'Neill jacket;89.50\n'),
    },
    {
      name: 'R\u00e9sum\u00e9 final.pdf',
      type: 'application/pdf',
      content: Buffer.concat([
        Buffer.from('%PDF-1.7\n%\u00e2\u00e3\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n'),
        tools.bytes(2000),
      ]),
    },
  ] as const)
  const body = Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="caption"\r\n\r\n${tools.prose()}\r\n`,
    ),
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\nContent-Type: ${file.type}\r\n\r\n`,
    ),
    file.content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  return tools.request('upload', 'POST', '/files', body, {
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
  })
}

const graphql = (tools: Tools): BenignRequest =>
  tools.request(
    'GraphQL',
    'POST',
    '/graphql',
    JSON.stringify({
      operationName: 'Products',
      query:
        'query Products($first: Int!, $filter: ProductFilter) {\n  products(first: $first, filter: $filter) {\n    edges { node { id name(lang: "en") price { amount currency } ...Stock } }\n    pageInfo { hasNextPage endCursor }\n  }\n}\nfragment Stock on Product { stock(warehouse: "north-1") }',
      variables: {
        first: 20,
        filter: { text: tools.words(2), maxPrice: tools.number(500) },
        after: Buffer.from(`cursor:${tools.number(1e6)}`).toString('base64'),
      },
    }),
    { 'Content-Type': 'application/json' },
  )

const soap = (tools: Tools): BenignRequest =>
  tools.request(
    'XML',
    'POST',
    '/services/orders',
    `<?xml version="1.0" encoding="UTF-8"?>\n<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><m:GetOrder xmlns:m="http://shop.example/orders"><m:Id>${tools.number(1e6)}</m:Id><m:Note>${tools.prose().replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</m:Note></m:GetOrder></soap:Body></soap:Envelope>`,
    { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: '"http://shop.example/orders/GetOrder"' },
  )

const longText = (tools: Tools): BenignRequest =>
  tools.request(
    'long prose',
    'POST',
    '/articles',
    new URLSearchParams({ text: Array.from({ length: 60 }, () => tools.prose()).join('\n') }).toString(),
    { 'Content-Type': 'application/x-www-form-urlencoded' },
  )

const KINDS = [
  browse,
  form,
  browse,
  comment,
  browse,
  question,
  beacon,
  browse,
  telemetry,
  imageInJson,
  bearer,
  upload,
  graphql,
  soap,
  browse,
  longText,
]
