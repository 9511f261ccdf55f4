import type { ReactNode } from 'react'
import { phrase } from '../../../language/phrase.ts'

/** The words of this folder, in English. */
export const texts = {
  yourBudget: 'Your budget',
  theRateOfYour: 'The rate of your requests is not limited here.',
  ofRequestsUnderWay: (running: string, runningMax: string) =>
    `${running} of ${runningMax} requests under way at once.`,
  everyAnswerCarriesHeaders: (code: ReactNode, code2: ReactNode) =>
    phrase`Every answer carries ${code} headers; a 429 says in ${code2} when to go on.`,
  allResearchersTogether: 'All researchers together',
  you: 'You',
  ofLeft: (remaining: string, limit: string) => `${remaining} of ${limit} left`,
  atOnceNot: (policy: string) => `At once, not in a time (policy ${policy}).`,
  inPolicy: (limit: string, windowMs: string, policy: string) => `${limit} in ${windowMs} (policy ${policy})`,
  noneIsUsed: (rule: string) => `${rule}. None is used.`,
  in: (rule: string, comesBack: string, resetMs: string) => `${rule}. ${comesBack} in ${resetMs}.`,
  min: (seconds: number) => `${seconds} min`,
  minS: (seconds: number, rest: number) => `${seconds} min ${rest} s`,

  credentialsForTesting: 'Credentials for testing',
  hide: 'Hide',
  eachTimeYouReveal: 'Each time you reveal them is recorded.',
  reveal: 'Reveal',

  hostInPlace: (code: ReactNode) => phrase`Host, in place of the ${code}`,
  goTo: (gatedName: string) => `Go to ${gatedName}`,

  passed: 'Passed',
  refusedBlockRule: 'Refused: block rule',
  refusedRateLimit: 'Refused: rate limit',
  refusedFirewall: 'Refused: firewall',
  answeredByTheGate: 'Answered by the gate',
  interrupted: 'Interrupted',
  yourRecentRequests: 'Your recent requests',
  theRequestThatLed: (code: ReactNode) =>
    phrase`The request that led here is not among the newest that this gateway remembers. The organization finds it by its reference, ${code}.`,
  noneYetTheyShow: 'None yet. They show here as you test, with the reason for each refusal.',
  requests: 'Requests',
  time: 'Time',
  request: 'Request',
  status: 'Status',
  whatHappened: 'What happened',
  ruleReadingThePath: (code: ReactNode, reading: string) =>
    phrase`Rule ${code}${reading ? `, reading the path: ${reading}` : ''}`,
  reference: (request: string) => `Reference ${request}`,

  yourRequestsAre: 'Your requests are not inspected for attacks.',
  attacksAreRecognized: 'Attacks are recognized and recorded, and refuse nothing: test freely.',
  aRequestThat: 'A request that a firewall rule recognizes as an attack is refused, and names the rule.',
  scopeAndRules: 'Scope and rules',
  theOrganizationWrote:
    'The organization wrote no instructions: the whole site is in scope but for what follows.',
  notToBeTouched: 'Not to be touched',
  eachCoversEverythingBelow: 'Each covers everything below it, however the path is spelled.',
  goodToKnow: 'Good to know',
  targetsThatCan: 'Targets that can be read in more than one way are refused.',
  aToolThatCannot:
    'A tool that cannot send a header may send your key as its password, with any user name (HTTP Basic).',
  everyRequestIsRecorded: 'Every request is recorded under your name, refused ones included.',
  untilItIsClosed: 'until it is closed',
  until: (value: string) => `until ${value}`,
  openForTesting: (until: string) => `Open for testing ${until}.`,

  loading: 'Loading…',
  noSuchSite: 'No such site',
  yourSites: 'Your sites',
  hasNoSiteHere: (organization: string, link: ReactNode, contact: ReactNode) =>
    phrase`${organization} has no site here that is open to you. ${link} ${contact}`,
  untilValue: (value: string) => `, until ${value}`,
  goToTheSite: 'Go to the site',
  openedToYou: ({
    organization,
    researcher,
    value,
    link,
    contact,
  }: {
    readonly organization: string
    readonly researcher: string
    readonly value: string
    readonly link: ReactNode
    readonly contact: ReactNode
  }) => phrase`Opened to you by ${organization}, as ${researcher}${value}. ${link} ${contact}`,

  inAShell: 'In a shell',
  burpHow:
    'Settings, Sessions, Session handling rules: add a rule with the action "Set a specific header"; or Proxy, Match and replace rules, type "Request header", an empty match and this replacement',
  zapHow:
    'Tools, Options, Replacer: add "Request header (will add if not present)"; or with the automation framework',
  inABrowser: 'In a browser',
  inABrowserHow:
    'For what pages ask other hosts without cookies (bearer tokens, crossorigin scripts, manifests): in one shell the proxy, which has your key from a file and names its certificate; in another a Chromium of its own, with that certificate',

  yourKeyInYourTools: 'Your key in your tools',
  toolsShowYourKey: (code: ReactNode) =>
    phrase`Tools show your key in the header ${code}; it never reaches the site. Only you have it: paste it to complete the settings below. It does not leave this page.`,
  key: 'Key',
  tool: 'Tool',
  copy: 'Copy',
  copied: 'Copied',
  selectAndCopy: 'Select and copy it by hand',
}
