/** The words of this folder, in English. */
export const texts = {
  jK: 'j, k',
  theNextRequest: 'the next request, the one before',
  typeInTheFilterLine: 'type in the filter line',
  excludeTheFirstFinding: 'exclude the first finding of the open request',
  pinTheWindow: 'pin the window: it stays where it is instead of following the clock; again, let it follow',
  closeTheOpenRequest: 'close the open request',
  arrowsPageUpPage: 'Arrows, Page Up, Page Down, Enter',
  moveInTheTable: 'move in the table, open a request, and go to the open one',
  thisList: 'this list',
  keyboardShortcuts: 'Keyboard shortcuts',
  keyboardShortcutsAndKey: 'Keyboard shortcuts (?)',
}
