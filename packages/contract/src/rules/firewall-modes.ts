/** What the firewall of a site does with a match: nothing is inspected, it is recorded, or the request is refused. */
export const FIREWALL_MODES = ['off', 'observe', 'enforce'] as const
export type FirewallMode = (typeof FIREWALL_MODES)[number]
