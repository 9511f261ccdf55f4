import { isolated } from '../../design/isolated.ts'

/** The words of this folder, in English. */
export const texts = {
  itHasBeenChanged: 'It has been changed since, so nothing was undone.',

  setsTheBlockRules: (it: string, before: string) => `Sets the block rules of ${it} back${before}.`,
  takesTheLimitOffAgain: (it: string) => `Takes the limit off ${it} again.`,
  limitsByAgain: (it: string, limit: string) => `Limits ${it} by ${isolated(limit)} again.`,
  onlyTheListMay: (it: string) => `Only the list may enter ${it} again.`,
  opensToEveryActive: (it: string) => `Opens ${it} to every active researcher again.`,
  opensToAgain: (it: string, back: number, off: number) =>
    `Opens ${it} to ${back} again, and takes ${off} off its list.`,
  setsTheFirewallOfBack: (it: string, before: string) => `Sets the firewall of ${it} back${before}.`,
  opensAgain: (it: string) => `Opens ${it} again.`,
  closesAgain: (it: string) => `Closes ${it} again.`,
  pausesAgain: (ids: string) => `Pauses ${ids} again.`,
  letsInAgainWherever: (ids: string) => `Lets ${ids} in again, wherever they may enter.`,
  pathsThatTheyClosed: ': paths that they closed are open again',
  itRefusesNothingAnyMore: ': it refuses nothing any more',
  theApiDefinitionRefuses: ': the API definition refuses nothing any more',
  researchers: (count: number) => plural(count, { one: 'one researcher', other: `${count} researchers` }),
}

import { plural } from '../../language/plural.ts'
