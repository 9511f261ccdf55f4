/** The words of this folder, in English. */
export const texts = {
  copy: 'Copy',
  copyItNowOnly: 'Copy it now: only its fingerprint is kept, so it cannot be shown again.',
  shownOnce: 'Shown once',
  iHaveStored: 'I have stored it',

  search: 'Search',
  emailAddress: 'E-mail address',
  name: 'Name',

  removeFile: 'Remove file',
  dropAFileHere: 'Drop a file here, or',
  chooseAFile: 'Choose a file',

  done: 'Done',
  nothingHasChanged: 'Nothing has been changed yet',

  thereIsNoSuch: 'There is no such day or time',
  writeItSo: 'Write it as 2026-11-21 14:05',
  aDayAnd: 'A day and a time of 24 hours: 2026-11-21 14:05',
  chooseTheDay: 'Choose the day',
  day: 'Day',
}
