import type { Hacker } from '@sallyport/contract'
import { Status } from '../../design/table/status.tsx'
import { texts } from './texts.ts'

const STATES = {
  active: { tone: 'good', words: texts.active },
  paused: { tone: 'warn', words: texts.paused },
  expired: { tone: 'off', words: texts.expired },
} as const

export function ResearcherState({ researcher }: { readonly researcher: Hacker }) {
  return <Status {...STATES[researcher.state]} />
}
