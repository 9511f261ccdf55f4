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
      effect: 'Every match is recorded; nothing is refused. What research needs.',
    },
    enforce: { label: 'Enforce', effect: 'A request that matches is refused with the rule that matched.' },
  }

/** The modes as a field offers them. */
export const MODE_CHOICES = FIREWALL_MODES.map((value) => ({ value, label: MODE_WORDS[value].label }))

/** The same of the API definition as a rule. */
export const DEFINITION_WORDS: typeof MODE_WORDS = {
  off: { label: 'Off', effect: 'Requests are not held against the API definition.' },
  observe: { label: 'Observe', effect: 'What the API definition does not allow is recorded, and forwarded.' },
  enforce: { label: 'Enforce', effect: 'A request that the API definition does not allow is refused.' },
}

/** What each level of evidence is called, and what it means. */
export const LEVEL_WORDS: Readonly<
  Record<FirewallLevel, { readonly label: string; readonly effect: string }>
> = {
  watch: { label: 'Watch', effect: 'Only what is all but certain is a hit: the fewest alarms.' },
  balanced: { label: 'Balanced', effect: 'What is more likely an attack than not is a hit.' },
  strict: {
    label: 'Strict',
    effect: 'A suspicion is a hit: the most found, and more alarms on honest traffic.',
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
    effect: 'What could not be inspected is forwarded, and its record says so.',
  },
  refuse: {
    label: 'Refuse',
    effect:
      'While the firewall enforces, a request is refused that took too long to inspect or whose compressed body could not be opened.',
  },
}

/** The choices as a field offers them. */
export const UNINSPECTED_FIELD = UNINSPECTED_CHOICES.map((value) => ({
  value,
  label: UNINSPECTED_WORDS[value].label,
}))
