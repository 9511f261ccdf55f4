import { FIREWALL_LEVELS, FIREWALL_MODES, type FirewallLevel, type FirewallMode } from '@sallyport/contract'

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
