import { wholeNumber } from '../../language/number.ts'

/** The words of this folder, in English. */
export const texts = {
  site: 'Site',
  exclusionsOfAllSites: 'Exclusions of all sites',
  exclusionsOfAllSitesHint: 'Known false alarms. Choose a site above to add one.',
  noExclusions: 'No exclusions',

  byAttackClass: 'By attack class',
  byResearcher: 'By researcher',
  byRoute: 'By route',
  firewall: 'Firewall',
  firewallLead: 'What was tried, by rule, attack class, researcher and route.',
  allSites: 'All sites',
  noDataInThisWindow: 'No data in this window',

  score: 'Score',
  anyScore: 'Any score',
  scoreOrHigher: (value: string) => `Score ${value} or higher`,
  newestHits: 'Newest hits',
  newestHitsHint: 'How likely each is an attack, and the evidence for it.',
  attack: 'Attack',
  evidence: 'Evidence',
  location: 'Location',
  when: 'When',

  more: (rest: number) => `${rest} more`,

  totalHitsOverTime: (total: number) => `${wholeNumber(total)} hits over time`,
  hitsOverTime: 'Hits over time',
  eachRule: 'Each rule has its colour. Drag over the chart to see its requests.',
  theEightRules:
    'The eight rules that matched most, and all others together in grey. Drag over the chart to see its requests.',
  noRulesMatched: 'No rules matched in this window',
  noRulesMatchedBody: 'Matches appear here within two seconds. Sites whose firewall is off record none.',
  firewallHitsOverTime: (total: number, rules: number) =>
    `Firewall hits over time: ${wholeNumber(total)} in all, by ${rules} rules.`,
  rules: 'Rules',
  noRulesYet: 'No rules yet',
  rule: 'Rule',
  showOnly: (rule: string) => `Show only ${rule}`,
  showAllRules: 'Show all rules',
  showOnlyThisRule: 'Show only this rule',
  severity: 'Severity',
  hits: 'Hits',
  rulesThatMatched: 'Rules that matched',
}
