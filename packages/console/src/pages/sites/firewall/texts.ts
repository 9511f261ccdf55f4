import { isolated } from '../../../design/isolated.ts'
import { wholeNumber } from '../../../language/number.ts'
import { counted } from '../../../language/plural.ts'

/** The words of this folder, in English. */
export const texts = {
  apiDefinition: 'API definition',
  apiDefinitionAsARule: 'API definition as a rule',
  theApiDefinitionAsARuleIsSet: (label: string) => `The API definition as a rule is set to "${label}".`,
  refuseUndeclaredQueryParametersToo: 'Refuse undeclared query parameters too',
  theApiDefinition: 'The API definition as a rule is changed.',
  notJudgedBy: (leftOut: string) => ` Not judged by: ${leftOut}.`,
  itWouldJudgeJudges: (isOff: boolean, operations: number, left: string) =>
    `It ${isOff ? 'would judge' : 'judges'} by ${counted(operations, { one: 'operation', other: 'operations' })}.${isolated(left)}`,
  ofThatReached: (requests: number) =>
    `Of ${counted(requests, { one: 'request', other: 'requests' })} that reached the origin in the last 7 days, none is known to be unlisted.`,
  ofThatReachedTheOrigin: (requests: number, unlisted: number) =>
    `Of ${counted(requests, { one: 'request', other: 'requests' })} that reached the origin in the last 7 days, the definition does not list at least ${wholeNumber(unlisted)}.`,
  requestsThatAreNotListed: 'Requests that are not listed',
  notListed: 'Not listed',
  requests: 'Requests',

  firewallMode: 'Firewall mode',
  theFirewallIsSet: (label: string) => `The firewall is set to "${label}".`,
  sensitivity: 'Sensitivity',
  theSensitivityIsSet: (label: string) => `The sensitivity is set to "${label}".`,
  requestsThatCould: 'Requests that could not be inspected',
  requestsThatCouldNotBeInspected: (label: string) => `Requests that could not be inspected: "${label}".`,
  setTo: (label: string) => `Set to "${label}"?`,
  firewall: (field: string) => `Firewall ${field}`,

  mode: 'Mode',
  override: 'override',
  overrides: 'Overrides',
  overridesHint:
    'A different mode for a rule, path or parameter. The first override that covers a match applies.',
  noOverrides: 'No overrides',
  nameAtLeastOne: 'Name a rule, a path or a parameter first',
  addAnOverride: 'Add an override',
  theOverrideIsAdded: 'The override is added.',
  add: 'Add',
}
