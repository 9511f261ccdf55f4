/** The words of this folder, in English. */
export const texts = {
  pages: 'Pages',
  yourSites: 'Your sites',
  for: (organization: string) => `for ${organization}`,
  signOut: 'Sign out',

  theGateCould: 'The gate could not say who you are',
  tryAgain: 'Try again',
  loading: 'Loading…',
}
