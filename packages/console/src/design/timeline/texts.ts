/** The words of this folder, in English. */
export const texts = {
  andMore: (moments: number) => `and ${moments} more`,

  to: (from: string, until: string) => `${from} to ${until}`,
  total: 'Total',
  previousPeriod: 'Previous period',
  none: 'None',

  arrowKeysWalkThrough: (label: string) => `${label} Arrow keys walk through it.`,
  loading: 'Loading…',
}
