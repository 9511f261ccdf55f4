import type { ReactNode } from 'react'
import { phrase } from '../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  theLastChange: 'The last change is being deployed to the gateways',
  ofRunIt: (done: number, gateways: number) => `${done} of ${gateways} run it`,
  allThatAnswer: 'All gateways that answer run it; a silent one has not confirmed it',
  gateways: 'Gateways',

  notCheckedYet: 'Not checked yet',
  healthy: 'Healthy',
  failing: 'Failing',
  unreachable: 'Unreachable',

  settings: 'Settings',
  researchers: 'Researchers',
  blockRules: 'Block rules',
  firewall: 'Firewall',
  instructionsAndCredentials: 'Instructions and credentials',
  apiDefinition: 'API definition',
  coverage: 'Coverage',
  traffic: 'Traffic',
  site: 'Site',
  to: (words: ReactNode) => phrase`to ${words}`,
  openToResearchers: 'Open to researchers',
  partsOfTheSite: 'Parts of the site',

  isOpen: (gatedName: string) => `${gatedName} is open.`,
  isClosing: (gatedName: string) => `${gatedName} is closing.`,
  openGatedName: (gatedName: string) => `Open ${gatedName} to researchers`,
  closeThisSite: 'Close this site?',
  yourRoleLooks: 'Your role may look at this site, not change it.',
  closeSite: 'Close site',
  closeThisSiteBody: (name: ReactNode, previewOfChange: ReactNode) =>
    phrase`${name} closes within a second: running requests and WebSockets are cut, and researchers see a plain page that says so. It shows as closed once no gateway can serve it any more. You can open it again at any time.${previewOfChange}`,

  sites: 'Sites',
  sitesLead: 'The sites behind the gate, and whether researchers may enter them.',
  groups: 'Groups',
  addASite: 'Add a site',
  noSitesMatch: 'No sites match',
  noSitesYet: 'No sites yet',
  aSiteIs: 'A site is an origin that researchers reach under a gated name.',
  state: 'State',
  access: 'Access',
  listOnly: 'List only',
  everyone: 'Everyone',
  limit: 'Limit',
  none: 'none',
  origin: 'Origin',
  last24Hours: 'Last 24 hours',
  requests: 'Requests',
  open: 'Open',
  closes: (time: ReactNode) => phrase`closes ${time}`,
}
