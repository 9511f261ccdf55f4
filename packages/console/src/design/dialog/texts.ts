/** The words of this folder, in English. */
export const texts = {
  leaveWithoutSaving: 'Leave without saving?',
  leave: 'Leave',
  leaveWithoutSavingBody: (what: string) =>
    `${what} are not saved yet. What you changed is lost when you leave this page.`,

  discard: 'Discard what you entered?',
  discardAction: 'Discard',
  discardBody: 'It is not saved yet, and lost when you close this.',

  cancel: 'Cancel',
}
