import type { FirewallMode } from '@sallyport/contract'

export const MODE_WORDS: Readonly<Record<FirewallMode, { readonly label: string; readonly effect: string }>> =
  {
    off: { label: 'Off', effect: 'Requests are not inspected.' },
    observe: {
      label: 'Observe',
      effect: 'Every match is recorded; nothing is refused. What research needs.',
    },
    enforce: { label: 'Enforce', effect: 'A request that matches is refused with the rule that matched.' },
  }
