/** The words of this folder, in English. */
export const texts = {
  noEarlierData: 'no earlier data',
  noChange: 'no change',
  unchangedFromThePreviousPeriod: 'unchanged from the previous period',
  fromZero: 'from 0',
  noneInThePreviousPeriod: 'none in the previous period',
  timesAsMany: (times: string) => `${times} times as many as in the previous period`,
  moreFewerThan: (text: string, now: boolean) =>
    `${text} ${now ? 'more' : 'fewer'} than in the previous period`,
}
