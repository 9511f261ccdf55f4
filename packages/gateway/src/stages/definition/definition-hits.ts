/** What a request violates of its site's API definition, as hits of the record, and what follows from them. */
import type { Violation } from '@sallyport/api-definition'
import type { FirewallHit, FirewallSettings } from '@sallyport/contract'
import { DEFINITION_CLASS, HIT_REASON_CHARS_MAX, HITS_MAX } from '@sallyport/contract/words'
import { excerptOf } from '@sallyport/firewall'
import { FirewallPolicy, RequestTargets } from '@sallyport/policy'
import { perObject } from '@sallyport/toolbox'
import { type Exchange, type Refusal, refuse } from '../../exchange/exchange.ts'
import { judgedRequest } from '../../exchange/judged-request.ts'
import { redactHits } from '../../record/redact.ts'
import type { CompiledSite } from '../../snapshot/snapshot.ts'

/** As in the record: `definition-parameter-type`. */
const ruleOf = ({ name }: Violation): string => `definition-${name.replaceAll('_', '-')}`

const PARAMETER_CHARS_MAX = 256
const REFUSED_STATUS = 403

/** Exclusions are about any rule; of the overrides those count that name one of these. */
const policyOf = perObject(
  (settings: FirewallSettings) =>
    new FirewallPolicy({
      ...settings,
      mode: settings.definition?.mode ?? 'off',
      overrides: settings.overrides.filter(({ rule }) => rule?.startsWith('definition-')),
    }),
)

const refuses = perObject(
  ({ definition, overrides }: FirewallSettings) =>
    definition?.mode === 'enforce' ||
    overrides.some(({ rule, mode }) => mode === 'enforce' && rule?.startsWith('definition-')),
)

/** Whether any violation may refuse a request of a site. */
export const mayRefuse = ({ config }: CompiledSite): boolean => refuses(config.firewall)

/** Writes the violations into the record, beside what the firewall wrote; returns the refusal where one of them refuses. */
export function applyViolations(
  { request, event }: Exchange,
  { config }: CompiledSite,
  violations: readonly Violation[],
): Refusal | null {
  if (violations.length === 0) return null
  const policy = policyOf(config.firewall)
  const targets = new RequestTargets(judgedRequest(request).targets, config.pathConventions)
  const now = Date.now()
  let refusing: Violation | undefined
  const hits = violations.flatMap((violation) => {
    const hit = hitOf(violation)
    const { mode, exclusion } = policy.judge(hit, targets, now)
    if (mode === 'off') return []
    if (mode === 'enforce' && !exclusion) refusing ??= violation
    return [{ ...hit, excluded: exclusion !== undefined }]
  })
  const others = event.hits.filter((hit) => hit.class !== DEFINITION_CLASS)
  event.hits = [...others.slice(0, HITS_MAX - hits.length), ...redactHits(hits, config.redaction)]
  return refusing ? refusalFor(refusing) : null
}

function hitOf(violation: Violation): FirewallHit {
  const { part, sent, message } = violation
  const parameter = violation.parameter.slice(0, PARAMETER_CHARS_MAX).toWellFormed()
  return {
    rule: ruleOf(violation),
    class: DEFINITION_CLASS,
    severity: 'low',
    part,
    parameter,
    excerpt: excerptOf(parameter, sent),
    // Not how likely an attack is.
    scorePercent: 0,
    reason: message.slice(0, HIT_REASON_CHARS_MAX).toWellFormed(),
    excluded: false,
  }
}

function refusalFor(violation: Violation): Refusal {
  const { name, part, parameter, message } = violation
  const members = {
    violation: { name, part, parameter: parameter.toWellFormed(), message: message.toWellFormed() },
  }
  return refuse(REFUSED_STATUS, 'firewall', 'definition', { rule: ruleOf(violation), members })
}
