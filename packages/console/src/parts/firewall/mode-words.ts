import {
  FIREWALL_LEVELS,
  FIREWALL_MODES,
  type FirewallLevel,
  type FirewallMode,
  UNINSPECTED_CHOICES,
  type UninspectedChoice,
} from '@sallyport/contract'

/** What each mode of the firewall is called, and what it does. */
export const MODE_WORDS: Readonly<Record<FirewallMode, { readonly label: string; readonly effect: string }>> =
  {
    off: { label: 'Off', effect: 'Requests are not inspected.' },
    observe: {
      label: 'Observe',
      effect: 'Matches are recorded and nothing is refused. Recommended while researchers test.',
    },
    enforce: { label: 'Enforce', effect: 'Requests that match are refused, and the refusal names the rule.' },
  }

/** The modes as a field offers them. */
export const MODE_CHOICES = FIREWALL_MODES.map((value) => ({ value, label: MODE_WORDS[value].label }))

/** The same of the API definition as a rule. */
export const DEFINITION_WORDS: typeof MODE_WORDS = {
  off: { label: 'Off', effect: 'Requests are not checked against the API definition.' },
  observe: {
    label: 'Observe',
    effect: 'Requests that the API definition does not allow are recorded and forwarded.',
  },
  enforce: { label: 'Enforce', effect: 'Requests that the API definition does not allow are refused.' },
}

/** What each level of evidence is called, and what it means. */
export const LEVEL_WORDS: Readonly<
  Record<FirewallLevel, { readonly label: string; readonly effect: string }>
> = {
  watch: { label: 'Watch', effect: 'Only near-certain attacks are hits: the fewest false alarms.' },
  balanced: { label: 'Balanced', effect: 'Requests that are more likely an attack than not are hits.' },
  strict: {
    label: 'Strict',
    effect: 'Any suspicion is a hit: finds the most, with more false alarms.',
  },
}

/** The levels as a field offers them. */
export const LEVEL_CHOICES = FIREWALL_LEVELS.map((value) => ({ value, label: LEVEL_WORDS[value].label }))

/** What may become of a request that could not be inspected to its end. */
export const UNINSPECTED_WORDS: Readonly<
  Record<UninspectedChoice, { readonly label: string; readonly effect: string }>
> = {
  forward: {
    label: 'Forward',
    effect: 'They are forwarded, and the record says so.',
  },
  refuse: {
    label: 'Refuse',
    effect:
      'While the firewall enforces, requests that took too long to inspect or whose compressed body could not be opened are refused.',
  },
}

/** The choices as a field offers them. */
export const UNINSPECTED_FIELD = UNINSPECTED_CHOICES.map((value) => ({
  value,
  label: UNINSPECTED_WORDS[value].label,
}))
