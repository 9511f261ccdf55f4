import type { Hacker } from '@sallyport/contract'
import { Status } from '../../design/table/status.tsx'

const STATES = {
  active: { tone: 'good', words: 'Active' },
  paused: { tone: 'warn', words: 'Paused' },
  expired: { tone: 'off', words: 'Expired' },
} as const

export function ResearcherState({ researcher }: { readonly researcher: Hacker }) {
  return <Status {...STATES[researcher.state]} />
}
