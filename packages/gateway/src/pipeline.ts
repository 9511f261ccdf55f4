/** The order in which a request is judged. One table; the order is part of the security of the gate. */
import type { Exchange, Reply, Stage, Verdict } from './exchange.ts'
import { judgeBlockRules } from './stages/block/judge-block-rules.ts'
import { createFirewallStage, type FirewallStatistics } from './stages/firewall/judge-firewall.ts'
import type { RuleEngines } from './stages/firewall/rule-engines.ts'
import type { Counters } from './stages/limit/counters.ts'
import { createLimitStage } from './stages/limit/judge-limit.ts'
import type { ResearcherApiParts } from './stages/own-pages/answer-api.ts'
import { createOwnPathsStage, createPageStage } from './stages/own-pages/judge-own-pages.ts'
import { createInvitationStage } from './stages/researcher/accept-invitation.ts'
import { createResearcherStage } from './stages/researcher/judge-researcher.ts'
import { judgeSite } from './stages/site/judge-site.ts'

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

export interface StageSettings {
  /** Files of the researcher's page by path; none where it is not served. */
  readonly pageFiles: ReadonlyMap<string, Reply>
  readonly researcherApi: ResearcherApiParts
  /** Where requests are counted for rate limits. */
  readonly counters: Counters
  /** The firewall's compiled rules, and where its overruns are counted. */
  readonly engines: RuleEngines
  readonly firewallStatistics: FirewallStatistics
}

/**
 * The table. Framing is judged before it, by the listener: a request that cannot be framed has no target to judge.
 *
 * - `site` first: every later stage judges by the rules of a site.
 * - `invitation` before `researcher`: who follows a link has no credential yet; the link is what gives one.
 * - `page` before `researcher`: its files are the same for everyone, and it is where a key is typed in.
 * - `own-paths` before every rule: looking at one's own budget uses up none of it.
 * - `researcher` before every rule: a stranger learns nothing of the rules and uses up no limit.
 * - `block` before `limit`: what may never pass should not use up what may.
 * - `firewall` last: it costs most, and only what would otherwise be forwarded is worth inspecting.
 */
export const createStages = ({
  pageFiles,
  researcherApi,
  counters,
  engines,
  firewallStatistics,
}: StageSettings): readonly NamedStage[] => [
  { name: 'site', judge: judgeSite },
  { name: 'invitation', judge: createInvitationStage(pageFiles.size > 0) },
  { name: 'page', judge: createPageStage(pageFiles) },
  { name: 'researcher', judge: createResearcherStage() },
  { name: 'own-paths', judge: createOwnPathsStage(researcherApi) },
  { name: 'block', judge: judgeBlockRules },
  { name: 'limit', judge: createLimitStage(counters) },
  { name: 'firewall', judge: createFirewallStage(engines, firewallStatistics, researcherApi.runningMax) },
]
