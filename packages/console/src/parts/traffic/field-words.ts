import { OUTCOMES, type Outcome } from '@sallyport/contract'
import { attackWords } from '@sallyport/contract/words'
import { useResearcherNames } from '../../api/queries/researcher-queries.ts'
import { useSites } from '../../api/queries/site-queries.ts'
import type { FilterFieldName } from '../../api/traffic/request-filters.ts'
import { reasonWords, scoreWords } from './code-words.ts'
import { OUTCOME_WORDS } from './outcome-mark.tsx'

export const FIELD_WORDS: Readonly<Record<FilterFieldName, string>> = {
  site: 'Site',
  hacker: 'Researcher',
  outcome: 'Outcome',
  reason: 'Reason',
  rule: 'Refusing rule',
  method: 'Method',
  status: 'Status',
  route: 'Route',
  tool: 'Tool',
  scannerReason: 'Like a scanner because of',
  address: 'Address',
  credential: 'Credential',
  firewallRule: 'Firewall rule',
  firewallClass: 'Attack class',
  leadsTo: 'Leads outside the gate to',
  path: 'Path',
  severity: 'Severity',
  minScorePercent: 'Score',
  minScannerPercent: 'Scanner, in percent,',
}

const isOutcome = (value: string): value is Outcome => (OUTCOMES as readonly string[]).includes(value)

/** A value of a field as a person would say it: names for ids, words for codes. */
export function useValueWords(): (field: FilterFieldName, value: string) => string {
  const sites = useSites()
  const nameOf = useResearcherNames()
  return (field, value) => {
    if (field === 'site')
      return sites.data?.find((site) => site.id === value)?.gatedName ?? (value || 'No site')
    if (field === 'hacker') return nameOf(value)
    if (field === 'outcome' && isOutcome(value)) return OUTCOME_WORDS[value]
    if (value === '') return 'None'
    if (field === 'firewallClass') return attackWords(value)
    if (field === 'minScorePercent') return scoreWords(Number(value))
    return field === 'reason' ? reasonWords(value) : value
  }
}
