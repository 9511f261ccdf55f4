/** The words of this folder, in English. */
export const texts = {
  theFirstRequest: 'The first request',
  waitingForTheFirst: 'Waiting for the first request. It appears here within two seconds.',
  itIsRecordedUnder: 'It is recorded under the researcher’s name, as every request will be.',
  viewItsTraffic: 'View its traffic',
  setBlockRules: 'Set block rules',
  writeInstructions: 'Write instructions',
  forTheResearcher: 'For the researcher',
  forTheResearcherHint: (email: string) =>
    `${email}. The invitation opens on the gate’s own host and can be used once.`,
  tryIt: 'Try it',

  whoTestsIt: 'Who tests it?',
  whoTestsItHint: (gatedName: string) =>
    `${gatedName} is behind the gate. Researchers you invite here are added to its list; nobody else gets in.`,
  isBehindTheGate: (gatedName: string) => `${gatedName} is behind the gate, open to every active researcher.`,
  invite: 'Invite',
  skipAndGo: 'Skip and go to the site',

  theSite: 'The site',
  aResearcher: 'A researcher',
  addASite: 'Add a site',
  addASiteLead: 'Three steps; it takes a minute.',

  onlyResearchersOnItsList: 'Only researchers on its list',
  allActiveResearchers: 'All active researchers',
  origin: 'Origin',
  originHint: 'Where requests go: a host, host:port or URL. HTTPS unless the URL says http.',
  gatedName: 'Gated name',
  gatedNameHint: (gateDomain: string) =>
    `The host that researchers use, under ${gateDomain}. Leave empty to derive it from the origin.`,
  rateLimit: 'Rate limit',
  noLimit: 'No limit',
  whoMayEnter: 'Who may enter',
  whoMayEnterHint: 'Nobody, until you add researchers to its list.',
  everyActiveResearcherIncluding: 'Every active researcher, including those invited later.',
  addTheSite: 'Add the site',
  itOpensAtOnce: (isListed: boolean) =>
    `It opens at once, ${isListed ? 'and admits nobody yet' : 'to every active researcher'}.`,
}
