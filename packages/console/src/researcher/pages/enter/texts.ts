/** The words of this folder, in English. */
export const texts = {
  loading: 'Loading…',
  thisLeadsTo: 'This leads to no site of yours',
  theLinkDoes: (organization: string) =>
    `The link does not name a site that ${organization} has opened to you, or is not whole.`,
  theGateDid: 'The gate did not let you in',
  thisSignIn: 'This sign-in was not begun in this browser',
  somebodyElseMayHave: (gatedName: string) =>
    `Somebody else may have begun it, to be let in under your name; or it took too long. Nothing was given away. If it was you who wanted to enter ${gatedName}, begin again:`,
  enterGatedName: (gatedName: string) => `Enter ${gatedName}`,
  doesNotAnswerTheGate: (gatedName: string) => `${gatedName} does not answer the gate`,
  soItIs: (gatedName: string) =>
    `So it is not known whether this sign-in was begun in this browser, and nobody was let in. If this stays so, remove the cookies that ${gatedName} has left in this browser.`,
  enterAs: (gatedName: string, researcher: string) => `Enter ${gatedName} as ${researcher}?`,
  yourBrowserDoes: (gatedName: string) =>
    `Your browser does not let the gate see whether it was here that this sign-in was begun. Go on only if you have just opened ${gatedName} yourself: otherwise somebody else would be let in under your name. If somebody else is signed in there in this browser, you take their place.`,
  enter: 'Enter',
  anotherResearcherIsSigned: (gatedName: string) =>
    `Another researcher is signed in at ${gatedName} in this browser. Go on only if you mean to take their place: what this browser sends there is recorded under your name from then on.`,
  replaceThatSession: 'Replace that session',
  tryAgain: 'Try again',
  doNotEnter: 'Do not enter',
}
