/**
 * The firewall stage. The head is judged here and now. A body is looked at as it comes: in a site that may refuse, before
 * anything of its beginning goes to the origin, and then before each further piece does; otherwise while it is forwarded, at
 * no delay.
 */
import type { FirewallHit, FirewallLevel, FirewallSettings } from '@sallyport/contract'
import { DEFAULT_FIREWALL_LEVEL, DEFAULT_UNINSPECTED, HITS_MAX, SEVERITIES } from '@sallyport/contract/words'
import {
  DEFAULT_INSPECTION_BUDGET,
  type InspectedHead,
  type PlacedRule,
  type RequestInspection,
  type Standing,
} from '@sallyport/firewall'
import { FirewallPolicy, type HitJudgement, RequestTargets } from '@sallyport/policy'
import { perObject } from '@sallyport/toolbox'
import { mistypedOf } from '../../definition/judgement-of.ts'
import { type Exchange, type Refusal, refuse, type Stage, type Verdict } from '../../exchange/exchange.ts'
import { judgedRequest } from '../../exchange/judged-request.ts'
import { senderOf } from '../../exchange/live-exchanges.ts'
import { toolNamed } from '../../headers/known-tools.ts'
import { redactHits } from '../../record/redact.ts'
import type { CompiledSite } from '../../snapshot/snapshot.ts'
import type { RuleEngines } from './rule-engines.ts'

/** What the stage counts. */
export interface FirewallStatistics {
  /** Requests whose inspection used up its time. */
  overruns: number
  /** The longest inspection of a request, time on the processor. */
  longestUs: number
}

/** What a site's settings come to. */
interface SiteFirewall {
  readonly policy: FirewallPolicy
  readonly level: FirewallLevel
  /** Nothing of this site is ever inspected. */
  readonly off: boolean
  readonly mayRefuse: boolean
  /** A request of which something could not be inspected is refused. */
  readonly refusesUninspected: boolean
}

/** An exchange and what its inspection says so far. */
interface InspectedExchange {
  readonly exchange: Exchange
  readonly site: CompiledSite
  readonly firewall: SiteFirewall
  readonly inspection: RequestInspection
  readonly standingOf: (hit: PlacedRule) => Standing
}

const REFUSED_STATUS = 403
const BUDGET = DEFAULT_INSPECTION_BUDGET

/**
 * Makes the stage. `runningMax` is how many requests of a researcher may be inspected at once: what takes long is neither
 * under way at an origin yet, nor perhaps any more, and its body is held in memory.
 */
export function createFirewallStage(
  engines: Pick<RuleEngines, 'current'>,
  statistics: FirewallStatistics,
  runningMax: number,
): Stage {
  const running = new RunningInspections()
  return (exchange) => {
    const { site, event } = exchange
    if (!site) return null
    const firewall = firewallOf(site.config.firewall)
    if (firewall.off) {
      event.inspection = 'off'
      return null
    }
    const sender = senderOf(exchange)
    if (running.countOf(sender) >= runningMax)
      return refuse(429, 'gate', 'too_many_streams', { retryAfterS: 1 })
    const standingOf = createStandings(exchange, site, firewall.policy)
    const inspection = engines.current.inspect(headOf(exchange), BUDGET, sender, standingOf)
    const inspected = { exchange, site, firewall, inspection, standingOf }
    const verdict = (): Verdict => afterHead(inspected, statistics, running)
    // A head that takes long is judged in slices, between which other requests have their turn.
    const { headJudged } = inspection
    return headJudged === null ? verdict() : running.during(sender, headJudged).then(verdict)
  }
}

function headOf(exchange: Exchange): InspectedHead {
  const { method, target, rawHeaders, headers } = exchange.request
  const mistyped = mistypedOf(exchange)
  return { method, target, rawHeaders, hasNewHeaders: !headers.isRepeated, ...(mistyped && { mistyped }) }
}

/** Refuses for what the head has; otherwise asks for the body, where there is one. */
function afterHead(
  inspected: InspectedExchange,
  statistics: FirewallStatistics,
  running: RunningInspections,
): Verdict {
  const { exchange, firewall, inspection } = inspected
  const { request, event } = exchange
  const refusal = applyFindings(inspected)
  const hasBody = request.bodyBytes !== 0 && !request.websocket
  // Until its body has been seen, and for good if it never is.
  if (hasBody) event.inspection = 'partial'
  if (refusal || !hasBody) {
    count(inspection, statistics)
    return refusal
  }
  const judged = async (done: Promise<void>): Promise<Refusal | null> => {
    await running.during(senderOf(exchange), done)
    count(inspection, statistics)
    return applyFindings(inspected)
  }
  exchange.bodyInspection = {
    bytesMax: BUDGET.bodyBytesMax,
    holds: firewall.mayRefuse,
    inspect: (bytes, complete) => judged(inspection.inspectBody({ bytes, complete })),
    inspectRest: (segment) => (segment ? judged(inspection.inspectRest(segment)) : Promise.resolve(null)),
  }
  return null
}

/** How many inspections of each sender are not over. */
class RunningInspections {
  readonly #counts = new Map<string, number>()

  countOf(sender: string): number {
    return this.#counts.get(sender) ?? 0
  }

  /** Counts one for as long as `inspected` is pending. */
  async during(sender: string, inspected: Promise<void>): Promise<void> {
    this.#counts.set(sender, this.countOf(sender) + 1)
    try {
      await inspected
    } finally {
      const left = this.countOf(sender) - 1
      if (left > 0) this.#counts.set(sender, left)
      else this.#counts.delete(sender)
    }
  }
}

/** Inspections that are counted among the overruns already. */
const overrun = new WeakSet<RequestInspection>()

function count(inspection: RequestInspection, statistics: FirewallStatistics): void {
  const { overrun: isOverrun, durationUs } = inspection.result()
  if (isOverrun && !overrun.has(inspection)) {
    overrun.add(inspection)
    statistics.overruns++
  }
  statistics.longestUs = Math.max(statistics.longestUs, durationUs)
}

const firewallOf = perObject((settings: FirewallSettings): SiteFirewall => {
  const modes = [settings.mode, ...settings.overrides.map(({ mode }) => mode)]
  return {
    policy: new FirewallPolicy(settings),
    level: settings.level ?? DEFAULT_FIREWALL_LEVEL,
    off: modes.every((mode) => mode === 'off'),
    mayRefuse: modes.includes('enforce'),
    refusesUninspected:
      settings.mode === 'enforce' && (settings.uninspected ?? DEFAULT_UNINSPECTED) === 'refuse',
  }
})

/** Refuses for what was found, and otherwise for what was not seen, where the site wants that. */
function applyFindings(inspected: InspectedExchange): Refusal | null {
  const refusal = applyHits(inspected)
  if (refusal || !inspected.firewall.refusesUninspected) return refusal
  return inspected.inspection.result().isUnseen ? refuse(REFUSED_STATUS, 'firewall', 'not_inspected') : null
}

/**
 * Writes the findings so far into the record; returns the refusal where the rules that may refuse give evidence enough. What an override
 * turns off is no evidence, and what an exclusion covers is none for a hit that counts.
 */
function applyHits({ exchange, site, firewall, inspection, standingOf }: InspectedExchange): Refusal | null {
  const { event } = exchange
  const { tools, inspection: extent } = inspection.result()
  event.inspection = extent
  const [tool] = tools
  if (event.tool === '' && tool !== undefined) event.tool = toolNamed(tool)
  if (inspection.evidence().length === 0) return null
  const hitsOf = (...standings: readonly Standing[]) =>
    inspection.hits(firewall.level, (hit) => standings.includes(standingOf(hit)))
  const counting = new Map(hitsOf('counts', 'refuses').map((hit) => [placeOf(hit), hit]))
  const recorded = hitsOf('excluded', 'counts', 'refuses')
    .map((hit) => ({ ...(counting.get(placeOf(hit)) ?? hit), excluded: !counting.has(placeOf(hit)) }))
    .sort((one, other) => Number(one.excluded) - Number(other.excluded) || gravity(other) - gravity(one))
  event.hits = redactHits(recorded.slice(0, HITS_MAX), site.config.redaction)
  const [refusing] = hitsOf('refuses').toSorted((one, other) => gravity(other) - gravity(one))
  return refusing ? refuse(REFUSED_STATUS, 'firewall', 'firewall', { rule: refusing.rule }) : null
}

/** What a site makes of a rule in a place of this request. Each is judged once: parameters that the site does not name are one. */
function createStandings(
  { request }: Exchange,
  { config }: CompiledSite,
  policy: FirewallPolicy,
): (hit: PlacedRule) => Standing {
  const known = new Map<string, Standing>()
  let targets: RequestTargets | undefined
  return (hit) => {
    const place = policy.names(hit.parameter) ? placeOf(hit) : `${hit.rule} ${hit.part}`
    const before = known.get(place)
    if (before !== undefined) return before
    targets ??= new RequestTargets(judgedRequest(request).targets, config.pathConventions)
    const standing = standingIn(policy.judge(hit, targets, Date.now()))
    known.set(place, standing)
    return standing
  }
}

function standingIn({ exclusion, mode }: HitJudgement): Standing {
  if (mode === 'off') return 'off'
  if (exclusion) return 'excluded'
  return mode === 'enforce' ? 'refuses' : 'counts'
}

const placeOf = ({ rule, part, parameter }: PlacedRule): string => `${rule} ${part} ${parameter}`

const gravity = (hit: Pick<FirewallHit, 'severity'>): number => SEVERITIES.indexOf(hit.severity)
