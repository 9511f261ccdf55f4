/** The words of this folder, in English. */
export const texts = {
  theEffectOn: 'The effect on the last 7 days cannot be calculated right now. You can still make the change.',
  checkingTheLast7Days: 'Checking the last 7 days…',
  itMayBeMore: (gaps: string) => `It may be more: ${gaps}.`,
  theRequest: 'The request',
  theNewest: (samples: number) => `The newest ${samples}`,
  openTheRequest: (request: string) => `Open the request ${request} in another tab`,
}
