/** The words of this folder, in English. */
export const texts = {
  justNow: 'just now',
  s: (microseconds: number) => `${microseconds} µs`,
  ms: (microseconds: string) => `${microseconds} ms`,

  last15Minutes: 'Last 15 minutes',
  lastHour: 'Last hour',
  last6Hours: 'Last 6 hours',
  last24Hours: 'Last 24 hours',
  last7Days: 'Last 7 days',
  last30Days: 'Last 30 days',
  from: 'From',
  to: 'To',
  showThisWindow: 'Show this window',
  now: 'now',
  gteToTo: (gte: string, to: string) => `${gte} to ${to}`,
}
