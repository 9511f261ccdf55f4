/**
 * The sentence of what matters now, made of the numbers of the situation: each clause says one thing that they bear, and leads to
 * the requests behind it. What they do not bear is not said, and a share is never rounded to all.
 */
import {
  type AttentionItem,
  attackWords,
  type Outcome,
  onlyValue,
  SCANNER_PERCENT_MIN,
  type Situation,
} from '@sallyport/contract'
import type { TimeWindow } from '../../../api/traffic/request-filters.ts'
import { percent, wholeNumber } from '../../../language/number.ts'
import { counted } from '../../../language/plural.ts'
import type { TrafficSearch } from '../../../parts/traffic/search.ts'

/** Words of ours, or somebody's: a name, or a part of a request. */
export interface ClausePart {
  readonly kind: 'words' | 'name' | 'code'
  readonly text: string
}

export interface Clause {
  readonly parts: readonly ClausePart[]
  readonly search: TrafficSearch
}

/** What a rule, a limit or the firewall refused; what the gate itself answers may be an origin that fails. */
export const REFUSED_BY_RULES = ['block', 'limit', 'firewall'] as const satisfies readonly Outcome[]

/** Of fewer requests, a share says nothing. */
const SHARE_OF_MIN = 10
const SHARE_MIN = 0.3
/** From this share on, what is mostly one thing is not said to be another one, too. */
const MOST = 0.9

const words = (text: string): ClausePart => ({ kind: 'words', text })
const name = (text: string): ClausePart => ({ kind: 'name', text })
const code = (text: string): ClausePart => ({ kind: 'code', text })

/** The clauses, at most four; none where nothing stands out. */
export function clausesOf(situation: Situation, window: TimeWindow): Clause[] {
  return [senderClause(situation), scannerClause(situation), errorClause(situation), refusalClause(situation)]
    .filter((clause) => clause !== null)
    .map(({ parts, search }) => ({ parts, search: { ...window, ...search } }))
}

function senderClause({ senders: [first], period }: Situation): Clause | null {
  if (!first || period.total < SHARE_OF_MIN || first.requests < SHARE_MIN * period.total) return null
  const { requests, scanners } = first
  const share = ` sent ${shareWords(requests, period.total)} of the traffic`
  const how = scanners >= requests ? ' with scanners' : ', mostly with scanners'
  return {
    parts: [...senderParts(first), words(isMost(scanners, requests) ? share + how : share)],
    search: { hacker: [first.id] },
  }
}

const isMost = (part: number, whole: number): boolean => part > 0 && part >= MOST * whole

/** None where the clause of who sent most says it of the same requests. */
function scannerClause(situation: Situation): Clause | null {
  const { senders, period } = situation
  const { total, scanners } = period
  if (total < SHARE_OF_MIN || scanners < SHARE_MIN * total) return null
  const [first] = senders
  const isNamed = first && senderClause(situation) && isMost(first.scanners, first.requests)
  if (isNamed && isMost(first.scanners, scanners)) return null
  return {
    parts: [
      words(
        `${isNamed ? 'all scanners together' : 'scanners'} sent ${shareWords(scanners, total)} of the traffic`,
      ),
    ],
    search: { minScannerPercent: [String(SCANNER_PERCENT_MIN)] },
  }
}

/** Who is not among the researchers any more has an id and no name. */
const senderParts = ({ id, name: called }: Situation['senders'][number]): ClausePart[] => {
  if (id === '') return [words('strangers')]
  return called === id ? [words('a researcher who was removed')] : [name(called)]
}

/** A share in percent, which is "all" where it is all, and never because it was rounded. */
export function shareWords(part: number, whole: number): string {
  if (part >= whole) return 'all'
  return Math.round((100 * part) / whole) === 100 ? 'almost all' : percent(part, whole)
}

function errorClause({ attention, period }: Situation): Clause | null {
  const worst = attention.items.find(({ kind }) => kind === 'origin_error_after_hit')
  if (worst?.count) {
    const { site, route, value, status, count } = worst
    return {
      parts: [
        code(route),
        ...(site ? [words(' of '), name(site.name)] : []),
        words(` answered ${status ?? '5xx'} to ${withinSentence(attackWords(value))}, ${timesWords(count)}`),
      ],
      search: {
        ...(site && { site: [site.id] }),
        ...errorFilters(worst),
      },
    }
  }
  if (period.serverErrors === 0) return null
  return {
    parts: [words(`origins answered 5xx ${timesWords(period.serverErrors)}`)],
    search: { status: ['5xx'], outcome: ['origin'], group: 'hacker' },
  }
}

/** The requests behind errors after hits, at whichever site. */
export const errorFilters = ({ route, value, status }: AttentionItem) => ({
  route: [onlyValue(route)],
  firewallClass: [onlyValue(value)],
  status: [status === null ? '5xx' : String(status)],
  outcome: ['origin'],
})

function refusalClause({ sites, period }: Situation): Clause | null {
  const search = { outcome: REFUSED_BY_RULES }
  const most = sites.items
    .filter(({ remarks }) => remarks.includes('refused'))
    .toSorted((left, right) => right.refused - left.refused)[0]
  if (most)
    return {
      parts: [name(most.name), words(` refused ${wholeNumber(most.refused)}`)],
      search: { ...search, site: [most.id] },
    }
  const refused = REFUSED_BY_RULES.reduce((sum, outcome) => sum + period.outcomes[outcome], 0)
  if (refused === 0) return null
  return {
    parts: [words(counted(refused, { one: 'request was refused', other: 'requests were refused' }))],
    search,
  }
}

/** What is said where no clause is: nothing of a number that is not known. */
export function quietWords({ period, newestRequest }: Situation, ago: string): string {
  if (period.total > 0)
    return `${counted(period.total, { one: 'request', other: 'requests' })}, and nothing stands out.`
  return newestRequest === null
    ? 'No requests in the last 30 days.'
    : `No requests in this window; the latest came ${ago}.`
}

export const timesWords = (count: number): string =>
  count === 1 ? 'once' : count === 2 ? 'twice' : `${wholeNumber(count)} times`

/** "SQL injection" stays as it is, "Path traversal" begins small. */
const withinSentence = (text: string): string =>
  /^\p{Lu}\p{Ll}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
