/** The words of this folder, in English. */
export const texts = {
  filterRequests: 'Filter requests',
  filterRequestsPlaceholder:
    'researcher:name path:/files status:5xx, or any text of the target or user agent',
  completions: 'Completions',

  hasAtMostCharacters: (charsMax: number) => `has at most ${charsMax} characters`,
  isANumberSuch: 'is a number such as 404, or a class such as 5xx',
  isANumber: 'is a number from 0 to 1, such as 0.98',
  isAPercentage: 'is a percentage from 0 to 100',
  isOneOf: (known: string) => `is one of ${known}`,

  wordsHaveAtMostCharacters: (searchCharsMax: number) => `Words have at most ${searchCharsMax} characters.`,
  aQuotationEnds: 'A quotation ends with " and a space.',
  thereIsNoField: (name: string) => `There is no field "${name}". In double quotes it is searched as words.`,
  hasNoValueNone: (name: string) => `"${name}" has no value. None is written as "".`,
  noHasThisNameAlone: (filterNames: string) => `No ${filterNames} has this name alone.`,
}
