/** Firewall settings of a site, as stored, sent to gateways and edited in the console. */
import { z } from 'zod'
import { text } from '../fields.ts'
import { FIREWALL_LEVELS, FIREWALL_MODES, UNINSPECTED_CHOICES } from './firewall-modes.ts'

const firewallMode = z.enum(FIREWALL_MODES)

/** Which hits an exclusion or an override covers: each part that is present narrows it. */
const coveredHits = {
  id: text(64).min(1),
  /** A rule id, for example `crs-942-100`. */
  rule: text(128).min(1).optional(),
  /** A path prefix, as whole segments. */
  pathPrefix: text(2048).min(1).startsWith('/').optional(),
  /** Part of the request, as in `FirewallHit.part`. */
  part: text(32).min(1).optional(),
  /** Name of the parameter, as in `FirewallHit.parameter`. */
  parameter: text(256).min(1).optional(),
}
const comment = {
  note: text(500).default(''),
  expires: z.iso.datetime({ offset: true }).optional(),
}

/**
 * An exclusion says what is not to count as an attack. One that narrows nothing is refused.
 * Hits that fall under it are still recorded, marked `excluded`, and never refuse a request.
 */
export const firewallExclusion = z
  .object({ ...coveredHits, ...comment })
  .refine((value) => value.rule ?? value.pathPrefix ?? value.parameter, {
    message: 'name at least a rule, a pathPrefix or a parameter',
  })
export type FirewallExclusion = z.infer<typeof firewallExclusion>

/** Changes the mode for what it covers; the first override that covers a hit decides. */
const firewallOverride = z.object({ ...coveredHits, mode: firewallMode, ...comment })
export type FirewallOverride = z.infer<typeof firewallOverride>

/** What the API definition of a site is as a rule. */
const definitionRule = z.object({
  mode: firewallMode.default('off'),
  /** Whether a parameter of the query that the definition does not name is a violation. */
  undeclaredParameters: z.boolean().default(false),
})
export type DefinitionRule = z.infer<typeof definitionRule>

export const firewallSettings = z.object({
  mode: firewallMode.default('observe'),
  /** How much evidence makes a hit; `balanced` where it is not said. */
  level: z.enum(FIREWALL_LEVELS).optional(),
  /** What becomes of a request of which something could not be inspected, where the mode is `enforce`; `forward` where it is not said. */
  uninspected: z.enum(UNINSPECTED_CHOICES).optional(),
  /** The API definition as a rule; off where it is not said. */
  definition: definitionRule.optional(),
  overrides: z.array(firewallOverride).max(200).default([]),
  exclusions: z.array(firewallExclusion).max(500).default([]),
})
export type FirewallSettings = z.infer<typeof firewallSettings>
export const DEFAULT_FIREWALL_SETTINGS: FirewallSettings = { mode: 'observe', overrides: [], exclusions: [] }
