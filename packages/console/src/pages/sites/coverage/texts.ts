import { wholeNumber } from '../../../language/number.ts'

/** The words of this folder, in English. */
export const texts = {
  csv: 'CSV',
  byParameterToo: 'by parameter, too',
  sarif: 'SARIF',
  jUnit: 'JUnit',
  neverTriedIsSkipped: 'never tried is skipped',

  coverage: 'Coverage',
  coverageHint:
    'Attempts by operation and class of attack, and the verdict that came furthest. An empty cell was never tried.',
  untestedFirst: 'Untested first',
  noOperationsKnownYet: 'No operations known yet',
  noOperationsKnownYetBody:
    'Upload an API definition, or let researchers test: what several of them were served is learned.',
  researcher: 'Researcher',
  allResearchers: 'All researchers',
  becauseTheGateRefused: (untestedRefused: number) =>
    `, ${wholeNumber(untestedRefused)} because the gate refused every request`,
  untested: (untested: number, untestedRefused: string) =>
    `${wholeNumber(untested)} untested${untestedRefused}`,
  cleanBecauseRefused: (refusedByGate: number) =>
    `${wholeNumber(refusedByGate)} clean because refused by the gate`,
  operations: (count: number) => counted(count, { one: 'operation', other: 'operations' }),
  answeredWith5xx: (cells: number) => `${counted(cells, { one: 'cell', other: 'cells' })} answered with 5xx`,
  outsideTheDefinition: (attempts: number) =>
    `${counted(attempts, { one: 'attempt', other: 'attempts' })} outside the definition`,
  notEverythingRecorded: ' · Not everything recorded is shown: the rarest is left out.',

  objectsReachedBySeveralResearchers: 'Objects reached by several researchers',
  objectsReachedBySeveralHint:
    'One path of an operation with a parameter, answered 2xx to more than one of them (API1:2023, WSTG-ATHZ-04). Their accounts at the origin are not recorded.',
  objectsByOperation: 'Objects by operation',
  noneInThisWindow: 'None in this window',
  operation: 'Operation',
  objects: 'Objects',
  reachedByMost: 'Reached by most',

  until: 'Until',
}

import { counted } from '../../../language/plural.ts'
