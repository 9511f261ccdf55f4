/** What the firewall of a site does with a match: nothing is inspected, it is recorded, or the request is refused. */
export const FIREWALL_MODES = ['off', 'observe', 'enforce'] as const
export type FirewallMode = (typeof FIREWALL_MODES)[number]

/** How much evidence makes a hit of the firewall, from most to least. */
export const FIREWALL_LEVELS = ['watch', 'balanced', 'strict'] as const
export type FirewallLevel = (typeof FIREWALL_LEVELS)[number]
export const DEFAULT_FIREWALL_LEVEL: FirewallLevel = 'balanced'
/** Score, from 0 to 1, from which on a class of attack is a hit. */
export const FIREWALL_THRESHOLDS: Readonly<Record<FirewallLevel, number>> = {
  watch: 0.9,
  balanced: 0.5,
  strict: 0.25,
}

/** What an enforcing site does with a request of which something could not be inspected. */
export const UNINSPECTED_CHOICES = ['forward', 'refuse'] as const
export type UninspectedChoice = (typeof UNINSPECTED_CHOICES)[number]
export const DEFAULT_UNINSPECTED: UninspectedChoice = 'forward'
