import { isolated } from '../../../design/isolated.ts'
import { bytesWords, wholeNumber } from '../../../language/number.ts'
import { plural } from '../../../language/plural.ts'

/** The words of this folder, in English. */
export const texts = {
  openAPIDocument: 'OpenAPI document',
  openAPIDocumentHint:
    'What researchers read, with the gated name as its server. Without a document named main it is learned from recorded traffic.',
  andCharactersMoreCopy: (text: string, text2: number) => `${text}
… and ${wholeNumber(text2)} characters more; copy it to read all of it.`,

  documents: 'Documents',
  documentsHint: 'API documents you upload. Researchers read the one named main.',
  uploadADocument: 'Upload a document',
  noDocumentYet: 'No document yet',
  noDocumentYetBody: 'With an OpenAPI document, researchers know what there is to test.',
  name: 'Name',
  format: 'Format',
  operations: 'Operations',
  notCounted: 'not counted',
  size: 'Size',
  uploaded: 'Uploaded',
  by: 'By',
  actions: 'Actions',
  theDocumentIsRemoved: 'The document is removed.',
  versions: 'Versions',
  versionsOf: (name: string) => `Versions of ${isolated(name)}`,
  remove: 'Remove',
  removeName: (name: string) => `Remove ${isolated(name)}`,
  removeOf: (name: string) => `Remove ${isolated(name)}?`,
  removeTheDocument: 'Remove the document',
  allItsVersions: 'All its versions are removed with it.',

  theFileIsLarger: (bytesMax: number) => `The file is larger than ${bytesWords(bytesMax)}.`,
  theDocumentIsUploaded: 'The document is uploaded.',
  nameItAndChoose: 'Name it, and choose or paste a document first',
  nameHint: 'Researchers read the one named main. An existing name gets a new version.',
  orPasteIt: 'Or paste it',
  orPasteItHint: 'OpenAPI or Swagger as JSON or YAML, or a GraphQL schema',
  upload: 'Upload',
  theDocumentIsNotValid: 'The document is not valid',

  theVersionIsRestored: 'The version is restored.',
  version: 'Version',
  asWas: (restoredFrom: number) => `as ${restoredFrom} was`,
  change: 'Change',
  inForce: 'In force',
  compareVersionWith: (version: number) => `Compare version ${version} with the one in force`,
  compare: 'Compare',
  restore: 'Restore',
  restoreVersion: (version: number) => `Restore version ${version}`,
  restoreVersionVersion: (version: number) => `Restore version ${version}?`,
  itBecomesTheNewest: 'It becomes the newest version. The one in force now stays in the list of versions.',
  olderVersionsAre: (dropped: number) => `${wholeNumber(dropped)} older versions are no longer kept.`,
  operation: 'Operation',
  noType: 'no type',
  effect: 'Effect',
  breaking: 'breaking',
  fromVersionToVersion: (from: number, to: number) => `From version ${from} to version ${to}`,
  theFirstShow: (changes: number) => ` The first ${wholeNumber(changes)} show.`,
  fromVersionToVersionChange: ({
    from,
    to,
    total,
    breaking,
    changes,
  }: {
    readonly from: number
    readonly to: number
    readonly total: number
    readonly breaking: number
    readonly changes: string
  }) =>
    `From version ${from} to version ${to}: ${wholeNumber(total)} ${plural(total, { one: 'change', other: 'changes' })}, ${wholeNumber(breaking)} of them breaking.${changes}`,
  changes: 'Changes',
}
