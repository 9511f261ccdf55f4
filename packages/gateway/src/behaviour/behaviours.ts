/**
 * Who behaves like a scanner, whatever they call themselves: each request that ends is noted in the memory of its client, and its
 * record says how sure it is by now. It is evidence and refuses nothing.
 *
 * A client is a researcher with a user agent, so that the browser beside a scanner is not taken for one. Nobody else can put anything
 * into a researcher's memory: strangers have none and are judged by one request alone, and so is what pages of other sites make a
 * browser send. Memory is bounded: so many researchers, so many user agents of each, the rest of which share one client.
 */
import { DEFINITION_CLASS, GATED_OWN_PATH, USER_AGENT_CHARS_MAX } from '@sallyport/contract/words'
import { BoundedCache, flatCopy } from '@sallyport/toolbox'
import type { Exchange } from '../exchange/exchange.ts'
import { type HeaderEvidence, headerEvidenceOf } from '../headers/header-signs.ts'
import { isScannerTool } from '../headers/known-tools.ts'
import { ClientBehaviour } from './client-behaviour.ts'
import type { NotedRequest } from './client-memory.ts'
import { NAMED_SCANNER, NO_SCANNER, type ScannerVerdict, scoreScanner } from './scanner-score.ts'
import { hashTarget } from './target-hash.ts'

/** Researchers that are remembered; beyond, those who sent nothing for longest are forgotten. A client is 5 KiB. */
const RESEARCHERS_MAX = 500
/** User agents of one that are told apart. A tool that names another with each request is one client. */
const AGENTS_MAX = 4

interface Clients {
  readonly known: { userAgent: string; client: ClientBehaviour }[]
  /** Of all user agents beyond; null as long as there are none. */
  others: ClientBehaviour | null
}

/** What is asked of an exchange that ends. */
type EndedExchange = Pick<Exchange, 'request' | 'event' | 'snapshot' | 'startedAt'>

export class Behaviours {
  readonly #researchers: BoundedCache<string, Clients>

  constructor(researchersMax = RESEARCHERS_MAX) {
    this.#researchers = new BoundedCache(researchersMax)
  }

  /** Notes an exchange whose end is known, and writes into its event how sure it is that a scanner sent it. */
  judge(exchange: EndedExchange): void {
    const { percent, reason } = this.#verdict(
      exchange,
      exchange.startedAt + exchange.event.durationUs / 1_000,
    )
    exchange.event.scannerPercent = percent
    exchange.event.scannerReason = reason
  }

  #verdict(exchange: EndedExchange, now: number): ScannerVerdict {
    const { request, event, snapshot } = exchange
    if (request.host === snapshot.gate?.host || event.target.startsWith(GATED_OWN_PATH)) return NO_SCANNER
    const evidence = headerEvidenceOf(request)
    const isRemembered = event.researcherId !== '' && event.siteId !== '' && !evidence.isForeign
    const client = isRemembered ? this.#clientOf(exchange, now) : null
    client?.memory.note(observed(exchange, evidence, now))
    // What names itself needs no facts.
    if (isScannerTool(event.tool)) return NAMED_SCANNER
    if (client) return client.verdict(evidence, now)
    return scoreScanner({
      headerSigns: evidence.signs,
      isBrowser: evidence.isBrowser,
      facts: null,
      isRotating: false,
    })
  }

  #clientOf({ event, request }: EndedExchange, now: number): ClientBehaviour {
    const { researcherId } = event
    const clients =
      this.#researchers.get(researcherId) ?? this.#researchers.set(researcherId, { known: [], others: null })
    const userAgent = request.headers.meaning.userAgent.slice(0, USER_AGENT_CHARS_MAX)
    const known = clients.known.find((one) => one.userAgent === userAgent)
    if (known) return known.client
    if (clients.known.length < AGENTS_MAX) {
      const client = new ClientBehaviour(now)
      clients.known.push({ userAgent: flatCopy(userAgent), client })
      return client
    }
    const idle = clients.known.find(({ client }) => client.memory.isStale(now))
    if (idle) {
      idle.userAgent = flatCopy(userAgent)
      idle.client = new ClientBehaviour(now)
      return idle.client
    }
    clients.others ??= new ClientBehaviour(now, true)
    return clients.others
  }
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
const NO_CLASSES: readonly string[] = []

function observed({ request, event, startedAt }: EndedExchange, evidence: HeaderEvidence, now: number) {
  const { target, path } = hashTarget(request.host, request.target)
  return {
    role: evidence.role,
    targetHash: target,
    pathHash: path,
    isUnsafe: !SAFE_METHODS.has(request.method),
    isMiss: isMiss(event.status, event.outcome),
    classes: event.hits.length === 0 ? NO_CLASSES : classesOf(event),
    startedAt,
    endedAt: now,
  } satisfies NotedRequest
}

/** Not there, or not in this way. That somebody has to sign in or to wait says nothing of what was asked for. */
const isMiss = (status: number, outcome: string): boolean =>
  status >= 400 && status < 500 && !SAYS_NOTHING.has(status) && outcome !== 'limit'
const SAYS_NOTHING: ReadonlySet<number> = new Set([401, 407, 408, 429, 499])

const classesOf = ({ hits }: Pick<Exchange['event'], 'hits'>): string[] =>
  hits
    .filter(({ excluded, class: name }) => !excluded && name !== DEFINITION_CLASS)
    .map(({ class: name }) => name)
