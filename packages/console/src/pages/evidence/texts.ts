import { bytesWords, wholeNumber } from '../../language/number.ts'

/** The words of this folder, in English. */
export const texts = {
  passed: 'Passed',
  failed: 'Failed',
  notChecked: 'Not checked',
  whatWasChecked: 'What was checked',
  check: 'Check',
  result: 'Result',
  whatIsWrong: 'What is wrong',
  itIsAboutAnother: (organization: string) => `It is about another organization than yours: ${organization}.`,
  whatItIsAbout: 'What it is about',
  whatItIsAboutHint: 'As the pack says of itself; checks failed.',
  organization: 'Organization',
  site: 'Site',
  inFrontOf: (gatedName: string, originName: string) => `${gatedName}, in front of ${originName}`,
  project: 'Project',
  window: 'Window',
  to: (from: string, to: string) => `${from} to ${to}`,
  made: 'Made',
  requests: 'Requests',
  lines: (events: number) => `${wholeNumber(events)} lines`,
  auditEntries: 'Audit entries',
  signedBy: 'Signed by',
  thisInstallation: ' (this installation)',

  checkEvidence: 'Check evidence',
  checkEvidenceLead:
    'A pack is checked here in your browser: the file goes nowhere, and the same code checks it as in sallyport evidence verify.',
  evidencePack: 'Evidence pack',
  fingerprintOfTheExpected: 'Fingerprint of the expected signing key',
  fingerprintOfTheExpectedHint:
    "This installation's key by default. Enter another installation's fingerprint to check its packs, or leave empty for any key.",
  fingerprintOfTheExpectedProblem: 'It is sha256: and 64 hexadecimal digits.',
  theCheckWasCancelled: 'The check was cancelled.',
  ofChecked: (bytes: number, size: number) => `${bytesWords(bytes)} of ${bytesWords(size)} checked`,
  checked: 'Checked',
  cancel: 'Cancel',

  theControlPlaneDid: 'The control plane did not say by which key it signs.',
}
