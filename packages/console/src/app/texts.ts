/** The words of this folder, in English. */
export const texts = {
  pageNotFound: 'Page not found',
  nothingIsHere: 'Nothing is here',
  nothingIsHereBody: 'The address may be mistyped, or what it pointed to was removed.',

  yourSessionHasEnded: 'Your session has ended',
  signInAgain:
    'Sign in again, in another tab. This page stays as it is, with everything that is typed on it, and goes on by itself.',
  somebodyElseSignedIn:
    'Somebody else signed in, or into another organization. What is on this page goes on only as the one who opened it: sign in as them, or load the page as who is signed in now. What is typed on it is lost then.',
  signIn: 'Sign in',
  loadAnew: 'Load the page anew',

  signedInSallyport: 'Signed in · Sallyport',
  youAreSigned: 'You are signed in',
  youAreSignedBody: 'Go back to the tab that you came from: it goes on where it was. This one can be closed.',
}
