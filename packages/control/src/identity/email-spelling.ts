/**
 * The one spelling of an e-mail address by which accounts are found and attempts are counted. Only the letters of ASCII
 * are folded: about the cases of others JavaScript and databases disagree, and some have a letter of ASCII as their small
 * one (the Kelvin sign is a K), so that somebody else's address would pass for an account's.
 */
export const emailSpelling = (email: string): string =>
  email.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
