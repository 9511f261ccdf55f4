/** What scanners ask: wordlists below directories that they know, payloads in the place of segments, names of parameters. */
import type { ObservedRequest } from '@sallyport/api-learning'
import { uuid } from './identifiers.ts'
import { Random } from './random.ts'
import { researcherName } from './traffic.ts'

/** What a site answers where there is nothing. */
export type Misses = 'not-found' | 'page-for-everything' | 'json-for-everything' | 'redirect'

const STEMS =
  'about account accounts actions admin administrator ajax alerts api app apps archive assets audit auth authorize backend backup backups billing blog build cache callback cart catalog categories cgi-bin chat check checkout client clients cms code collections comments common community components config configuration connect console contact content core cron css customer customers dashboard data database db debug default demo deploy dev develop devices docs documents download downloads edit email emails engine error errors events example export external favicon feed feedback fetch field file files filter flows folder fonts forgot form forms forum forums front gallery gateway general get git global graphql groups guest guide handler health help hidden history home hooks host hosts html icons identity image images import inbox include index info install integrations internal invite invoice invoices issues items jobs js json keys lab lang language legacy lib library license link links list live load local locale log login logout logs mail main manage management manager map maps master media member members menu message messages meta metrics mobile model models module modules monitor monitoring new news node notes notifications oauth object objects office old online open operations order orders organization page pages panel partner partners password patch payment payments pdf people permissions phone photo photos php ping plugins policy portal post posts preferences preview print private product products profile profiles project projects proxy public publish query queue read register registration release releases remote report reports request requests reset resource resources rest restore results review reviews role roles root router rss rules run samples save schedule schema script scripts search secret secrets secure security send server service services session sessions settings setup share shared shell shop signin signup site sitemap sites skin snapshot source spec sql src stage staging start stat static stats status storage store stream style subscribe subscriptions support survey swagger sync system tables tag tags task tasks team teams temp template templates terms test tests theme themes ticket tickets token tokens tool tools top trace track transactions trash tree trigger trunk types ui update updates upload uploads url user users util utils validate vendor vendors verify version view views vote web webhook webhooks welcome widgets wiki win work workflow workflows workspace www xml zone'.split(
    ' ',
  )
const ENDINGS = [
  '',
  '',
  '',
  '',
  '/',
  '.php',
  '.html',
  '.json',
  '.txt',
  '.bak',
  '.old',
  '-old',
  '_backup',
  '2',
]
const PROBES =
  '.git/HEAD .git/config .env .htaccess .svn/entries .DS_Store backup.sql db.sql.old web.config~ %2e%2e/etc/passwd .aws/credentials'.split(
    ' ',
  )
const PAYLOADS = [
  "1'%20OR%20'1'='1",
  '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
  '..%2f..%2fetc%2fpasswd',
  '%7b%7b7*7%7d%7d',
  '{id}',
  '{{7*7}}',
  '%00',
  '1;sleep(5)',
  '$(id)',
  '%22%3E%3Csvg',
]

export interface ScanOptions {
  readonly seed: number
  readonly requests: number
  /** Indexes of the researchers who scan. */
  readonly researchers: readonly number[]
  readonly misses: Misses
  /** What is there: it is answered as an honest request would be. */
  readonly find: (method: string, path: string) => ObservedRequest | undefined
  /** Requests whose paths are known to scanners. */
  readonly known: readonly ObservedRequest[]
}

/** Requests of several scanners with the same lists. */
export function scan(options: ScanOptions): ObservedRequest[] {
  const random = new Random(options.seed)
  const directories = ['', ...new Set(options.known.map(({ target }) => directoryOf(target, random)))].slice(
    0,
    80,
  )
  return Array.from({ length: options.requests }, (_, index) => {
    const researcher = options.researchers[index % options.researchers.length] ?? 0
    const { path, method } = asked(options.known, directories, random)
    const found = options.find(method, path)
    if (found)
      return {
        ...found,
        target: path,
        method,
        researcherId: researcherName(researcher),
        responseBytes: found.responseBytes + random.below(900),
      }
    return {
      ...miss(options.misses, path, random),
      method,
      target: path,
      researcherId: researcherName(researcher),
    }
  })
}

function asked(known: readonly ObservedRequest[], directories: readonly string[], random: Random) {
  const directory = random.pick(directories)
  const word = random.pick(STEMS) + random.pick(ENDINGS)
  const method = random.chance(0.9) ? 'GET' : random.pick(['POST', 'HEAD', 'PUT'])
  switch (random.below(8)) {
    case 0:
      return { method, path: `${directory}/${random.pick(PROBES)}` }
    case 1:
      return { method, path: fuzzed(known, random) }
    case 2:
      return {
        method,
        path: `${directory}/${random.pick([uuid(random), random.text('abcdefghij0123456789', 14)])}`,
      }
    case 3:
      return { method, path: `${directory}/${word}?${random.pick(STEMS)}=${random.below(9)}` }
    default:
      return { method, path: `${directory}/${word}` }
  }
}

/** A known path with a payload in the place of one of its segments, or behind it. */
function fuzzed(known: readonly ObservedRequest[], random: Random): string {
  const [path = ''] = (known[random.below(known.length)]?.target ?? '/').split('?')
  const segments = path.split('/')
  segments[1 + random.below(segments.length)] = random.pick(PAYLOADS)
  return segments.join('/')
}

function directoryOf(target: string, random: Random): string {
  const [path = ''] = target.split('?')
  const segments = path.split('/')
  return segments.slice(0, 1 + random.below(Math.min(segments.length, 4))).join('/')
}

function miss(
  misses: Misses,
  path: string,
  random: Random,
): Omit<ObservedRequest, 'method' | 'target' | 'researcherId'> {
  const answer = {
    requestMediaType: '',
    redirect: '',
    hasHit: false,
    time: Date.UTC(2026, 10, 3) + random.below(86_400_000),
  }
  switch (misses) {
    case 'not-found':
      return { ...answer, status: 404, mediaType: 'application/json', responseBytes: 40 }
    case 'page-for-everything':
      return { ...answer, status: 200, mediaType: 'text/html', responseBytes: 4_200 + 2 * path.length }
    case 'json-for-everything':
      return { ...answer, status: 200, mediaType: 'application/json', responseBytes: 48 + path.length }
    case 'redirect':
      return {
        ...answer,
        status: 302,
        mediaType: 'text/html',
        redirect: '/login',
        responseBytes: 150 + path.length,
      }
  }
}
