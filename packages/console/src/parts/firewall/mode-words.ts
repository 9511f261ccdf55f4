import { FIREWALL_MODES, type FirewallMode } from '@sallyport/contract'

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
