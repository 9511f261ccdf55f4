/** The words of this folder, in English. */
export const texts = {
  thisBrowserIsSigned: 'This browser is signed in as somebody else.',
  theGateDoesNotAnswer: 'The gate does not answer.',
  theGateAnswered: (status: number) => `The gate answered ${status}.`,
  itDidNotWork: 'It did not work.',
}
