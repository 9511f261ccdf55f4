/** The words of this folder, in English. */
export const texts = {
  theControlPlaneAnswered: (status: number) =>
    `The control plane answered ${status} for the console's settings.`,

  theIssuerDoes: 'The issuer does not offer what signing in needs.',
}
