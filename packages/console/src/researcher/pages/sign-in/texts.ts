/** The words of this folder, in English. */
export const texts = {
  forInvitedResearchers: 'For invited researchers',
  signInHereOpen: (purpose: undefined | string) =>
    `${purpose ? `${purpose}, sign in here. ` : ''}Open the invitation link that you were sent: it signs this browser in.`,
  orShowYourKey:
    'Or show your key once. It is exchanged for a session of this browser, and this page does not keep it.',
  key: 'Key',
  signIn: 'Sign in',
  // What the gate says of a key that it does not know.
  isTheKeyWhole:
    'Check that the whole key was pasted: it begins with rk_live_. A key that was replaced or revoked no longer works: ask whoever invited you for a new invitation.',
}
