/** The words of this folder, in English. */
export const texts = {
  instructions: 'Instructions',
  instructionsHint: 'Scope and rules of engagement, in plain text. Researchers read them on their page.',
  credentials: 'Credentials',
  credentialsHint:
    'Test accounts, stored encrypted. Researchers reveal them with a click, and each reveal is recorded.',
  someoneElseSavedThisMeanwhile: 'Someone else saved this meanwhile:',
  nothing: '(nothing)',
  chooseFirst: 'Choose which of the two to keep first',
  useTheirs: 'Use theirs',
  keepMine: 'Keep mine',
  saved: (title: string) => `${title} saved.`,
  the: (field: string) => `The ${field}`,
  save: 'Save',
}
