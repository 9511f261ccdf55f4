import type { ReactNode } from 'react'
import { phrase } from '../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  theGroupIsRenamed: 'The group is renamed, with its sites.',
  theGroupIsAdded: 'The group is added.',
  gatedName: 'Gated name',
  gatedNameHint: (gateDomain: string) =>
    `One label under ${gateDomain}. The hosts of its sites lie under it, and need a certificate for them.`,
  rename: 'Rename',
  add: 'Add',

  actions: 'Actions',
  noSiteYet: 'No site yet',
  sitesOf: (gatedName: string) => `Sites of ${gatedName}`,
  site: 'Site',
  origin: 'Origin',
  theGroupIsRemoved: 'The group is removed.',
  renameTheGroup: 'Rename the group',
  remove: 'Remove',
  removeGroup: 'Remove group',
  removeThisGroup: 'Remove this group?',
  removeThisGroupBody: (name: ReactNode) => phrase`${name} can then be taken by anybody.`,
  theSiteHasLeft: 'The site has left the group.',
  removeFromGroup: 'Remove from group',
  removeFromGroupGated: (gatedName: string) => `Remove from group: ${gatedName}`,
  removeThisSite: 'Remove this site from the group?',
  removeThisSiteBody: (name: ReactNode) =>
    phrase`${name} gets another name. Researchers have to open it there, and to sign in.`,
  theSiteIs: 'The site is in the group.',
  siteToAdd: (gatedName: string) => `Site to add to ${gatedName}`,
  chooseASite: 'Choose a site',
  label: 'Label',
  labelUnder: (gatedName: string) => `Label under ${gatedName}`,
  addToGroup: 'Add to group',

  groupsOfSites: 'Groups of sites',
  groupsOfSitesLead:
    'Applications on several hosts: one name with all hosts under it, and one sign-in for all of them.',
  addAGroup: 'Add a group',
  noGroupYet: 'No group yet',
  noGroupYetBody:
    'Sites in a group share cookies and sign-in, and their addresses lead from one to the next.',
}
