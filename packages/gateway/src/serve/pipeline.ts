/** The order in which a request is judged. One table; the order is part of the security of the gate. */

import type { Closures } from '../closures/closures.ts'
import type { Recognizers } from '../credentials/callers.ts'
import type { Recognizer } from '../credentials/recognize.ts'
import type { RedeemCode } from '../credentials/sign-in-code.ts'
import { type Exchange, refuse, type Stage, type Verdict } from '../exchange/exchange.ts'
import { createApiStage, type GateApiParts } from '../gate-host/answer-api.ts'
import { createSessionStage, type SessionParts } from '../gate-host/answer-session.ts'
import { beginGateHost } from '../gate-host/begin.ts'
import { judgeCaller } from '../gate-host/judge-caller.ts'
import { createPageStage } from '../gate-host/judge-page.ts'
import type { PageFile } from '../gate-host/page-files.ts'
import type { Lease } from '../lease/lease.ts'
import { judgeBlockRules } from '../stages/block/judge-block-rules.ts'
import { createClosuresStage } from '../stages/closures/judge-closures.ts'
import { createCrossOriginStage } from '../stages/cross-origin/judge-cross-origin.ts'
import { judgeDefinition } from '../stages/definition/judge-definition.ts'
import { createFirewallStage, type FirewallStatistics } from '../stages/firewall/judge-firewall.ts'
import type { RuleEngines } from '../stages/firewall/rule-engines.ts'
import { createLeaseStage } from '../stages/lease/judge-lease.ts'
import type { Counters } from '../stages/limit/counters.ts'
import { createLimitStage } from '../stages/limit/judge-limit.ts'
import { createOwnPathsStage } from '../stages/own-paths/judge-own-paths.ts'
import { createResearcherStage } from '../stages/researcher/judge-researcher.ts'
import { createSignInStage } from '../stages/sign-in/judge-sign-in.ts'
import { createOpenStage } from '../stages/site/judge-open.ts'
import { createSiteStage, refuseAtProxy } from '../stages/site/judge-site.ts'

/** A stage with its name, as it appears in metrics, documents and logs. */
export interface NamedStage {
  readonly name: string
  readonly judge: Stage
}

/** Runs the stages in order until one answers. A promise is returned only where a stage returned one. */
export function judge(
  stages: readonly NamedStage[],
  exchange: Exchange,
  from = 0,
): Verdict | Promise<Verdict> {
  for (let index = from; index < stages.length; index++) {
    const verdict = stages[index]?.judge(exchange) ?? null
    if (verdict === null) continue
    if (!(verdict instanceof Promise)) return verdict
    return verdict.then((settled) => settled ?? judge(stages, exchange, index + 1))
  }
  return null
}

export interface GateHostSettings {
  readonly recognizers: Recognizers
  /** Files of the researcher's page by path; none where it is not served. */
  readonly pageFiles: ReadonlyMap<string, PageFile>
  /** What the gate's own host answers from. */
  readonly gateHost: GateApiParts & SessionParts
}

export interface StageSettings extends GateHostSettings {
  /** Until when what is served is vouched for. */
  readonly lease: Lease
  /** What the operator has closed at this gateway. */
  readonly closures: Closures
  /** Where requests are counted for rate limits. */
  readonly counters: Counters
  /** The firewall's compiled rules, and where its overruns are counted. */
  readonly engines: Pick<RuleEngines, 'current'>
  readonly firewallStatistics: FirewallStatistics
  /** How many threads judge requests as this one does; 1 unless given. */
  readonly threads?: number
  /** Redeems sign-in codes. */
  readonly redeem: RedeemCode
}

/**
 * The table. Framing is judged before it, as a request is read (`downstream/`): one that cannot be framed has no target to judge.
 *
 * - `gate-host` first: what is for the gate's own host is for no site, whatever a site is called.
 * - `site` before the rest: every later stage judges by the rules of a site.
 * - `sign-in` before `open`: the way to sign in is there under every name, so that it does not say which are published; and before
 *   `researcher`, because who signs in has no credential yet.
 * - `open` before every stage that may let a request on to an origin. It asks who calls itself, because strangers are told nothing of it.
 * - `cross-origin` before `researcher`: browsers send preflights without a credential.
 * - `researcher` before every rule: a stranger learns nothing of the rules and uses up no limit.
 * - `closures` after `researcher`: a researcher may be closed, and a stranger learns nothing of it.
 * - `lease` after `researcher`: a stranger learns nothing of the gate's state; and before all that an origin would see.
 * - `own-paths` before every rule: what can never reach an origin is nothing to count or to inspect.
 * - `block` before `limit`: what may never pass should not use up what may.
 * - `firewall` after these: it costs most, and only what would otherwise be forwarded is worth inspecting.
 * - `definition` last: a request that is an attack is recorded as one, whether the API has such a parameter or not.
 */
export const createStages = ({
  lease,
  closures,
  counters,
  engines,
  firewallStatistics: statistics,
  threads,
  redeem,
  ...gate
}: StageSettings): readonly NamedStage[] => {
  const { gated: recognize } = gate.recognizers
  return [
    { name: 'gate-host', judge: createGateHost(createGateHostStages(gate), recognize) },
    { name: 'site', judge: createSiteStage(recognize) },
    { name: 'sign-in', judge: createSignInStage(recognize, redeem) },
    { name: 'open', judge: createOpenStage(recognize) },
    { name: 'cross-origin', judge: createCrossOriginStage(threads) },
    { name: 'researcher', judge: createResearcherStage(recognize) },
    { name: 'closures', judge: createClosuresStage(closures) },
    { name: 'lease', judge: createLeaseStage(lease) },
    { name: 'own-paths', judge: createOwnPathsStage() },
    { name: 'block', judge: judgeBlockRules },
    { name: 'limit', judge: createLimitStage(counters) },
    { name: 'firewall', judge: createFirewallStage(engines, statistics, gate.gateHost.runningMax) },
    { name: 'definition', judge: judgeDefinition },
  ]
}

/**
 * The table of the gate's own host. Its last stage answers everything.
 *
 * - `page` first: its files are the same for everyone, and it is where a key is typed in.
 * - `caller` before whatever a session may do: a page of another origin has the browser send that session along.
 * - `session` before `api`: who signs in has no credential yet.
 */
const createGateHostStages = ({
  recognizers,
  pageFiles,
  gateHost,
}: GateHostSettings): readonly NamedStage[] => {
  const { gate: recognize } = recognizers
  return [
    { name: 'page', judge: createPageStage(pageFiles) },
    { name: 'caller', judge: judgeCaller },
    { name: 'session', judge: createSessionStage(gateHost, recognize) },
    { name: 'api', judge: createApiStage(gateHost, recognize) },
  ]
}

/** The stage that sends what is for the gate's own host through the stages of that host. */
const createGateHost =
  (stages: readonly NamedStage[], recognize: Recognizer): Stage =>
  (exchange) => {
    if (exchange.request.host !== exchange.snapshot.gate?.host) return null
    beginGateHost(exchange)
    // There a key counts as one that no page of another origin can send. A browser sends that of a proxy for any page.
    // A tunnel is opened to a site alone, but its name may have become that of the gate since.
    if (exchange.request.isProxied)
      return refuseAtProxy(exchange, recognize) ?? refuse(403, 'gate', 'unknown_host', { close: true })
    return judge(stages, exchange)
  }
