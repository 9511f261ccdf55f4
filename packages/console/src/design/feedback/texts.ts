/** The words of this folder, in English. */
export const texts = {
  notices: 'Notices',
  undone: 'Undone.',
  undo: 'Undo',
  closeNotice: 'Close notice',

  loading: 'Loading…',
  notAvailableRightNow: (toLowerCase: string) => `Not available right now: ${toLowerCase}`,
  tryAgain: 'Try again',
  yourRoleDoes: 'Your role does not include this',
  yourRoleDoesBody: 'An owner of the organization can change your role.',
  request: (requestId: string) => `request ${requestId}`,
}
